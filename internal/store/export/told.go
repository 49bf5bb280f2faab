package export

import (
	"net/url"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/page"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// Run is a run as pages and programs see it.
type Run struct {
	ID           string                  `json:"run_id"`
	Task         string                  `json:"task"`
	State        store.State             `json:"state"`
	StopReason   string                  `json:"stop_reason,omitempty"`
	Answer       string                  `json:"answer,omitempty"`
	Error        string                  `json:"error,omitempty"`
	QuestionID   string                  `json:"question_id,omitempty"`
	Steps        int                     `json:"steps"`
	Tokens       int                     `json:"tokens"`
	MaxSteps     int                     `json:"max_steps,omitempty"`
	ReplyMode    string                  `json:"reply_mode,omitempty"`
	Verification *agentloop.Verification `json:"verification,omitempty"`
	CreatedAt    time.Time               `json:"created_at"`
	UpdatedAt    time.Time               `json:"updated_at"`
	EndedAt      time.Time               `json:"ended_at,omitzero"`
	// why it does not go on, in words, by language
	Why map[string]string `json:"why,omitempty"`
	// what can be done about that
	Mend map[string]string `json:"mend,omitempty"`
	// what the verification's evidence says
	Seen map[string]string `json:"seen,omitempty"`
}

// NewRun is a stored run that has cost so many tokens, nil for nil.
func NewRun(r *store.Run, tokens int) *Run {
	if r == nil {
		return nil
	}
	var seen string
	if v := r.Progress.Verification; v != nil {
		seen = v.Evidence
	}
	return &Run{Tokens: tokens, Seen: inEach(seen),
		Why:  words.Each(func(lang string) string { return why(r, lang) }),
		Mend: words.Each(func(lang string) string { return mend(r, lang) }),
		ID:   r.ID, Task: r.Task, State: r.State, StopReason: string(r.StopReason),
		Answer: r.Answer, Error: r.Error, QuestionID: r.QuestionID, Steps: r.Progress.Steps,
		MaxSteps: r.MaxSteps, ReplyMode: r.ReplyMode, Verification: r.Progress.Verification,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt}
}

// SeenStep is a step in words, with where its picture is.
type SeenStep struct {
	Step
	// the act in a few words, by language, without places
	Words map[string]string `json:"words,omitempty"`
	// the refusal, by language
	Refused       map[string]string `json:"refused,omitempty"`
	SessionID     string            `json:"session_id"`
	Index         int               `json:"index"`
	Screenshot    string            `json:"screenshot,omitempty"`
	ScreenshotURL string            `json:"screenshot_url,omitempty"`
	StartedAt     time.Time         `json:"started_at"`
	DoneAt        time.Time         `json:"done_at,omitzero"`
}

// See is a stored step in words.
func See(st store.StepRecord) SeenStep {
	step := NewStep(st)
	v := SeenStep{Step: step, Words: inEach(step.Action), SessionID: st.SessionID, Index: st.Index,
		Refused: inEach(st.Refusal), Screenshot: st.FrameID, StartedAt: st.StartedAt,
		DoneAt: st.DoneAt}
	if a := st.Proposal.Action; a != nil {
		say := actions.Brief
		if st.State == store.Done && st.Refusal == "" {
			say = actions.Acted
		}
		v.Words = words.Each(func(lang string) string { return say(a, lang) })
	}
	if st.FrameID != "" {
		v.ScreenshotURL = FrameURL(st.FrameID)
	}
	return v
}

// FrameURL is where a server has a picture, whose id begins with that of its session.
func FrameURL(frame string) string {
	session, _, _ := strings.Cut(frame, ".")
	return "/v1/sessions/" + url.PathEscape(session) + "/frames/" + url.PathEscape(frame)
}

// Question is a question with what the page shows of it besides.
type Question struct {
	inquiry.Question
	InWords
}

// InWords is what a question is in words.
type InWords struct {
	// what would happen, for people, by language; of an approval
	Consent map[string]consent.Consent `json:"consent,omitempty"`
	// what the marks of the text stand for, for the page; nil when it has none
	Markdown []any `json:"markdown,omitempty"`
	// the same of the context of one that no run asks
	Context []any `json:"context,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (q Question) MarshalJSON() ([]byte, error) { return q.JSON(q.InWords) }

// PutInWords says what a question is in words.
func PutInWords(q inquiry.Question) InWords {
	w := InWords{Markdown: page.Markdown(q.Text)}
	if q.RunID == "" {
		w.Context = page.Markdown(q.Task)
	}
	if a := inquiry.As[inquiry.Approval](q); a.Act != nil {
		w.Consent = a.Act.All()
	}
	return w
}

// Told is all of a session but its pictures and the model's words.
type Told struct {
	Session   store.Session `json:"session"`
	Runs      []ToldRun     `json:"runs"`
	Steps     []ToldStep    `json:"steps"`
	Questions []Question    `json:"questions"`
	Agents    []*Node       `json:"agents,omitempty"` // of a session without a phone
}

// ToldRun is a run with what it has cost.
type ToldRun struct {
	*Run
	PromptTokens     int   `json:"prompt_tokens"`
	CompletionTokens int   `json:"completion_tokens"`
	TookMS           int64 `json:"took_ms"` // without the waiting
	ModelMS          int64 `json:"model_ms"`
	PhoneMS          int64 `json:"phone_ms"`
	AskedMS          int64 `json:"asked_ms"` // waited for answers
	Again            int   `json:"asked_again"`
	// what was said to it that it had not asked for
	Said []string `json:"said,omitempty"`
	// the screen of the step that a skill could not repeat, as it was recorded
	RecordedURL string `json:"recorded_url,omitempty"`
	recorded    string // its frame
}

// ToldStep is a step with what was seen and said in it.
type ToldStep struct {
	SeenStep
	Places   []inquiry.Place   `json:"places,omitempty"` // of the picture that are touched
	Carries  bool              `json:"carries,omitempty"`
	Partial  bool              `json:"partial,omitempty"` // it was refused after it had touched
	App      string            `json:"app,omitempty"`
	AppNames map[string]string `json:"app_names,omitempty"` // for people, by language
	Tokens   int               `json:"tokens,omitempty"`
	AskedMS  int64             `json:"asked_ms,omitempty"`
	Question string            `json:"question,omitempty"`
	Options  []string          `json:"options,omitempty"`
	Reply    string            `json:"reply,omitempty"`
	Settled  map[string]string `json:"settled,omitempty"` // how the question was, by language
	Tries    []Try             `json:"tries,omitempty"`
}

// Try is a call of the model as it was.
type Try struct {
	Prompt           string `json:"prompt"`
	Reply            string `json:"reply"`
	Model            string `json:"model,omitempty"`
	Error            string `json:"error,omitempty"`
	Again            bool   `json:"again,omitempty"` // not used: the screen had moved on
	TookMS           int64  `json:"took_ms"`
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
}

// Tell tells a session.
func Tell(t store.Trajectory) Told {
	out := Told{Session: t.Session, Runs: make([]ToldRun, 0, len(t.Runs)),
		Steps: make([]ToldStep, 0, len(t.Steps)), Questions: []Question{}}
	for _, r := range t.Runs {
		u := t.Usage[r.ID]
		out.Runs = append(out.Runs, ToldRun{
			Run:              NewRun(&r, u.PromptTokens+u.CompletionTokens),
			PromptTokens:     u.PromptTokens,
			CompletionTokens: u.CompletionTokens, TookMS: u.Work().Milliseconds(),
			ModelMS: u.Timing.Decide.Milliseconds(), PhoneMS: u.Timing.Phone().Milliseconds(),
			AskedMS: u.Asked.Milliseconds(), Again: u.Again, Said: Unasked(r)})
	}
	for _, st := range t.Steps {
		step := TellStep(st)
		step.AskedMS, step.Tries = t.Asked[st.Index].Milliseconds(), nil
		out.Steps = append(out.Steps, step)
	}
	for _, q := range t.Questions {
		out.Questions = append(out.Questions, Question{q, PutInWords(q)})
	}
	return out
}

// Unasked is what people said to a run that it had not asked for.
func Unasked(r store.Run) (said []string) {
	for _, x := range r.Progress.Exchanges {
		if x.Outcome == actions.Noted || x.Outcome == actions.Instructed {
			said = append(said, x.Answer)
		}
	}
	return said
}

// TellStep tells a step, with the model's words.
func TellStep(st store.StepRecord) ToldStep {
	v := ToldStep{SeenStep: See(st), App: st.Screen.State.App, Partial: partial(st.Refusal),
		AppNames: consent.AppNames(st.Screen.State.App)}
	if a := st.Proposal.Action; a != nil {
		does := a.Traits()
		v.Carries = does.Carries
		for _, p := range does.Points {
			if st.Proposal.Secret {
				break
			}
			v.Places = append(v.Places, inquiry.Place{X: p.X, Y: p.Y})
		}
	}
	for _, t := range st.Proposal.Tries {
		v.Tokens += t.PromptTokens + t.CompletionTokens
		v.Tries = append(v.Tries, Try{Prompt: t.Prompt, Reply: t.Reply, Model: t.Model,
			Error: t.Error, Again: t.Again, TookMS: t.Took.Milliseconds(),
			PromptTokens: t.PromptTokens, CompletionTokens: t.CompletionTokens})
	}
	if info, asks := st.Proposal.Action.(actions.Info); asks {
		v.Question, v.Options = info.Question, info.Options
	}
	if x := st.Exchange; x != nil {
		v.Question, v.Reply = x.Question, x.Answer
		v.Settled = words.Each(func(lang string) string { return EndsIn(lang).Outcomes[x.Outcome] })
	}
	return v
}
