package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/words"
)

// inquiryView is a question as it leaves. A secret answer masks itself.
type inquiryView struct {
	inquiry.Question
	shownWith
}

// shownWith has the fields that are added to a question.
type shownWith struct {
	InquiryID     string          `json:"inquiryId"`
	InputSchema   json.RawMessage `json:"input_schema,omitempty"` // of a form
	ScreenshotURL string          `json:"screenshot_url,omitempty"`
	Offers        []inquiry.Offer `json:"offers,omitempty"` // what can be said besides an answer
	// what the question has beside its text, for people
	Details []inquiry.Detail `json:"details,omitempty"`
	ByHand  bool             `json:"by_hand,omitempty"` // a person is to use the phone
	// what would happen, for people, by language; of an approval
	Consent map[string]consent.Consent `json:"consent,omitempty"`
	// what the marks of the text stand for, for the page; nil when it has none
	Markdown []any `json:"markdown,omitempty"`
	// what a person may say is not to be asked again for a while, as POST /v1/grants takes it
	Leaves []guard.Leave `json:"leaves,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (v inquiryView) MarshalJSON() ([]byte, error) { return v.Question.JSON(v.shownWith) }

// sessionView is a session with its latest run, as it leaves.
type sessionView struct {
	store.Session
	Run *runView `json:"run"`
}

type runView struct {
	ID         string      `json:"run_id"`
	Task       string      `json:"task"`
	State      store.State `json:"state"`
	StopReason string      `json:"stop_reason,omitempty"`
	Answer     string      `json:"answer,omitempty"`
	Error      string      `json:"error,omitempty"`
	QuestionID string      `json:"question_id,omitempty"`
	Steps      int         `json:"steps"`
	MaxSteps   int         `json:"max_steps,omitempty"`
	ReplyMode  string      `json:"reply_mode,omitempty"`
	CreatedAt  time.Time   `json:"created_at"`
	UpdatedAt  time.Time   `json:"updated_at"`
	EndedAt    time.Time   `json:"ended_at,omitzero"`
}

func viewOfRun(r *store.Run) *runView {
	if r == nil {
		return nil
	}
	return &runView{ID: r.ID, Task: r.Task, State: r.State, StopReason: string(r.StopReason),
		Answer: r.Answer, Error: r.Error,
		QuestionID: r.QuestionID, Steps: r.Progress.Steps, MaxSteps: r.MaxSteps,
		ReplyMode: r.ReplyMode,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt}
}

// stepView is a step as it leaves: in words, and where its picture is.
type stepView struct {
	export.Step
	// what is done in a few words, by language, without places
	Words         map[string]string `json:"words,omitempty"`
	SessionID     string            `json:"session_id"`
	Index         int               `json:"index"`
	Screenshot    string            `json:"screenshot,omitempty"`
	ScreenshotURL string            `json:"screenshot_url,omitempty"`
	StartedAt     time.Time         `json:"started_at"`
	DoneAt        time.Time         `json:"done_at,omitzero"`
}

func viewOfStep(st store.StepRecord) stepView {
	v := stepView{Step: export.NewStep(st), SessionID: st.SessionID, Index: st.Index,
		Screenshot: st.FrameID,
		StartedAt:  st.StartedAt, DoneAt: st.DoneAt}
	if a := st.Proposal.Action; a != nil {
		v.Words = map[string]string{}
		for _, lang := range words.Languages() {
			v.Words[lang] = actions.Brief(a, lang)
		}
	}
	if st.FrameID != "" {
		v.ScreenshotURL = frameURL(st.SessionID, st.FrameID)
	}
	return v
}

func frameURL(sessionID, frame string) string {
	return "/v1/sessions/" + url.PathEscape(sessionID) + "/frames/" + url.PathEscape(frame)
}

// records reads the store, as viewers may see it.
type records struct {
	questions Questions
	sessions  Sessions
	channels  func(inquiry.Question) []inquiry.Channel
}

func (o records) viewOf(q inquiry.Question) inquiryView {
	q.Channels = channel.Settling(q, o.channels(q))
	v := inquiryView{q, shownWith{InquiryID: q.ID, Offers: q.Offers(), Markdown: markdown(q.Text),
		InputSchema: inquiry.Schema(inquiry.As[inquiry.Form](q).Fields)}}
	v.Leaves = leavesOf(q)
	if a := inquiry.As[inquiry.Approval](q); a.Act != nil {
		v.Consent = a.Act.All()
	}
	for _, d := range q.Details() {
		if !d.Full && d.Text != "" && d.Name != "option" { // options have a key of their own
			v.shownWith.Details = append(v.shownWith.Details, d)
		}
	}
	state, _ := store.WaitingFor(q.Kind)
	v.ByHand = state == store.WaitingTakeover
	if q.Frame != "" && q.SessionID != "" {
		v.ScreenshotURL = frameURL(q.SessionID, q.Frame)
	}
	return v
}

// visible lists the questions that the viewer may see, oldest first. The list is never nil.
func (o records) visible(ctx context.Context, v viewer, f inquiry.Filter) ([]inquiryView, error) {
	all, err := o.questions.List(ctx, f)
	if err != nil {
		return nil, err
	}
	type owner struct{ session, client string }
	owners := map[owner]bool{}
	list := make([]inquiryView, 0, len(all))
	for _, q := range all {
		key := owner{q.SessionID, q.Client}
		seen, known := owners[key]
		if !known {
			if seen, err = o.sees(ctx, v, q); err != nil {
				return nil, err
			}
			owners[key] = seen
		}
		if seen {
			list = append(list, o.viewOf(q))
		}
	}
	return slices.Clip(list), nil
}

// sees decides by whom the question belongs to.
func (o records) sees(ctx context.Context, v viewer, q inquiry.Question) (bool, error) {
	if v.all {
		return true, nil
	}
	client, err := o.owner(ctx, q)
	return v.sees(client), err
}

// owner is whom a question belongs to: as its session, and without one its own client. One with
// neither, or of a session that was deleted, belongs to no client.
func (o records) owner(ctx context.Context, q inquiry.Question) (client *string, err error) {
	if q.SessionID == "" {
		if q.Client == "" {
			return nil, nil
		}
		return &q.Client, nil
	}
	x, err := o.sessions.Find(ctx, q.SessionID, nil)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &x.Client, nil
}

// question is the one that the path names by its id or the beginning of that, if the viewer may see
// it.
func (o records) question(r *http.Request, v viewer) (inquiry.Question, error) {
	return o.questions.Find(r.Context(), r.PathValue("id"), func(q inquiry.Question) (bool, error) {
		return o.sees(r.Context(), v, q)
	})
}

// session is the one that the path names by its id or the beginning of that, if the viewer may see
// it.
func (o records) session(r *http.Request, v viewer) (store.Session, error) {
	return o.sessions.Find(r.Context(), r.PathValue("id"), v.owners())
}

// present is a session with its latest run.
func (o records) present(ctx context.Context, x store.Session) (sessionView, error) {
	run, err := o.sessions.LatestRun(ctx, x.ID)
	if errors.Is(err, store.ErrNotFound) {
		return sessionView{Session: x}, nil
	}
	return sessionView{x, viewOfRun(&run)}, err
}
