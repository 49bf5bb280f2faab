package story

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Shown is all that the store knows of a session, for people and programs.
type Shown struct {
	Session store.Session  `json:"session"`
	Runs    []ShownRun     `json:"runs"`
	Steps   []ShownStep    `json:"steps"`
	Agents  []agents.Shown `json:"agents,omitempty"` // of taploop host
	below   []*export.Node // the same for people
}

// ShownRun is a run of a session, with the command that continues it as its hint.
type ShownRun struct {
	store.Run
	Message string `json:"message,omitempty"` // what was in the way
	Hint    string `json:"hint,omitempty"`
	WorkMS  int64  `json:"work_ms"`
	// that the run waits for
	Question *inquiry.Question `json:"question,omitempty"`

	AskedMS  int64        `json:"asked_ms"`    // how long its questions waited for their answers
	Parts    export.Parts `json:"parts_ms"`    // of the work
	Again    int          `json:"asked_again"` // steps whose first screen moved on
	Calls    int          `json:"model_calls"`
	Sent     int          `json:"prompt_tokens"`
	Received int          `json:"completion_tokens"`
	usage    store.Usage
}

// ShownStep is a step with its question and its picture.
type ShownStep struct {
	export.Step
	Index    int               `json:"global_step_idx"`
	Exchange *actions.Exchange `json:"exchange,omitempty"`
	Question *inquiry.Question `json:"question,omitempty"`
	AskedMS  int64             `json:"asked_ms,omitempty"`
	Frame    string            `json:"frame,omitempty"`
	Picture  string            `json:"picture,omitempty"`         // path of the file
	Missing  string            `json:"picture_missing,omitempty"` // why there is no Picture
	App      string            `json:"app,omitempty"`
	Tries    int               `json:"tries"`
	Replies  []ShownReply      `json:"replies,omitempty"`
	TookMS   int64             `json:"took_ms"`
	At       time.Time         `json:"at"`
	act      actions.Action
}

// ShownReply is a reply of the model, and why it was not understood.
type ShownReply struct {
	Reply string `json:"reply"`
	Error string `json:"error,omitempty"`
	Again bool   `json:"asked_again,omitempty"` // read, but the screen had moved on
}

// NextCommand is the command that continues a session's run, which waits for the question unless
// that is nil.
type NextCommand func(session string, q *inquiry.Question) string

// Read returns all of a session. A run that waits or rests says by next how it is continued.
func Read(ctx context.Context, db *store.Store, sess store.Session, next NextCommand) (
	Shown, error) {
	x := Shown{Session: sess, Runs: []ShownRun{}, Steps: []ShownStep{}}
	t, err := db.Trajectory(ctx, sess.ID)
	if err != nil {
		return x, err
	}
	for _, r := range t.Runs {
		shown := ShownRun{Run: r, usage: t.Usage[r.ID]}
		shown.Message, shown.Hint = hint.Split(r.Error)
		shown.WorkMS = shown.usage.Work().Milliseconds()
		shown.AskedMS = shown.usage.Asked.Milliseconds()
		shown.Parts = export.NewParts(shown.usage.Timing)
		shown.Again, shown.Calls = shown.usage.Again, shown.usage.Calls
		shown.Sent, shown.Received = shown.usage.PromptTokens, shown.usage.CompletionTokens
		x.Runs = append(x.Runs, shown)
	}
	for i := range x.Runs {
		x.Runs[i].addQuestion(t.Questions, next)
	}
	for _, st := range t.Steps {
		shown, err := newShownStep(ctx, db, st, t.Questions)
		if err != nil {
			return x, err
		}
		shown.AskedMS = t.Asked[st.Index].Milliseconds()
		x.Steps = append(x.Steps, shown)
	}
	noted, err := db.Noted(ctx, sess.ID)
	if len(noted) > 0 && len(x.Runs) > 0 {
		last := &x.Runs[len(x.Runs)-1]
		var spent agents.Spent
		x.Agents, spent, err = agents.Show(noted)
		last.Calls = spent.Replies
		last.Sent, last.Received = spent.PromptTokens, spent.CompletionTokens
	}
	if err == nil {
		x.below, _, err = export.Tree(ctx, db, t)
	}
	return x, err
}

// addQuestion adds the question that the run waits for, if any, and the next command.
func (r *ShownRun) addQuestion(asked []inquiry.Question, next NextCommand) {
	i := slices.IndexFunc(asked, func(q inquiry.Question) bool {
		return q.ID == r.QuestionID && q.Open()
	})
	if r.State.Terminal() || i < 0 && r.State != store.Paused {
		return
	}
	if i >= 0 {
		r.Question = &asked[i]
	}
	if how := next(r.SessionID, r.Question); !strings.Contains(r.Hint, how) {
		r.Hint = strings.TrimPrefix(r.Hint+": "+how, ": ")
	}
}

func newShownStep(ctx context.Context, db *store.Store, st store.StepRecord,
	asked []inquiry.Question) (ShownStep, error) {
	s := ShownStep{Step: export.NewStep(st), Index: st.Index, Exchange: st.Exchange,
		Frame: st.FrameID, App: st.Screen.State.App,
		Tries: len(st.Proposal.Tries), TookMS: st.Timing.Total().Milliseconds(), At: st.StartedAt,
		act: st.Proposal.Action}
	for _, try := range st.Proposal.Tries {
		s.Replies = append(s.Replies, ShownReply{try.Reply, try.Error, try.Again})
	}
	i := slices.IndexFunc(asked, func(q inquiry.Question) bool {
		return q.RunID == st.RunID && q.Step == st.Index
	})
	if i >= 0 {
		s.Question = &asked[i]
	}
	if st.FrameID == "" {
		return s, nil
	}
	var err error
	if s.Picture, err = db.FramePath(ctx, st.FrameID); errors.Is(err, store.ErrNotFound) {
		s.Missing, err = err.Error(), nil
	}
	return s, err
}

// Print prints the session for people in the language.
func (x Shown) Print(w io.Writer, lang string) {
	p, said := tty.Sheet{To: w, Columns: tty.Columns(w), Lang: lang}, In(lang)
	session := x.Session.ID
	if x.Session.Serial != "" {
		session = words.Phrase(lang, fmt.Sprintf("%s on phone %s, %s", session,
			text.Line(x.Session.Serial), text.Count(x.Session.Steps, "step")))
	}
	p.Line("session ", session)
	if x.Session.Parent != "" {
		p.Line("begun by ", x.Session.Parent)
	}
	for _, r := range x.Runs {
		fmt.Fprintln(w)
		r.print(p, said, x.Session.Serial != "")
		for _, s := range x.Steps {
			if s.RunID == r.ID {
				s.print(p)
			}
		}
	}
	for _, n := range x.below {
		fmt.Fprintln(w)
		node(p, n, "")
	}
}

func (r ShownRun) print(p tty.Sheet, said Words, onPhone bool) {
	p.Line("task: ", r.Task)
	state, why := string(r.State), string(r.StopReason)
	if p.Columns > 0 {
		state, why = said.States[r.State], said.Why(why)
	}
	p.Line("", strings.Join([]string{state, why, r.Answer}, " "))
	said.verified(&r.Run, func(label, says string) { p.Line(label, words.Phrase(p.Lang, says)) })
	if r.Message != r.Answer {
		p.Line("  why: ", words.Phrase(p.Lang, r.Message))
	}
	for _, said := range export.Unasked(r.Run) {
		p.Line("  said: ", said)
	}
	if r.Question != nil {
		p.Line("  asks: ", fmt.Sprintf(words.Phrase(p.Lang, "%s (question %s)"), r.Question.Text,
			r.Question.ID))
	}
	p.Line("  try: ", words.Phrase(p.Lang, r.Hint))
	for _, warned := range r.Progress.Warnings {
		p.Line("  warning: ", warned.Text)
	}
	if onPhone { // the times are those of steps
		p.Line("  time: ", said.Span(r.usage.Work())+said.Waiting(r.usage))
		p.Line("  parts: ", said.Parts(r.usage.Timing))
	}
	if r.Calls > 0 {
		p.Line("  model: ", words.Phrase(p.Lang, fmt.Sprintf("%s, %d tokens sent, %d received",
			text.Count(r.Calls, "call"), r.Sent, r.Received)))
	}
	if r.Again > 0 {
		p.Line("  asked again: ", words.Phrase(p.Lang, fmt.Sprintf(
			"%d of %s, as the screen moved on", r.Again, text.Count(r.usage.Steps, "step"))))
	}
}

func (s ShownStep) print(p tty.Sheet) {
	done := words.Phrase(p.Lang, s.Action)
	if s.act != nil {
		done = actions.Brief(s.act, p.Lang)
	}
	p.Line(fmt.Sprintf("  %3d  %-7s ", s.Index, words.Phrase(p.Lang, string(s.State))),
		fmt.Sprintf("%s  %s", text.Cut(text.Line(done), 400),
			In(p.Lang).Span(time.Duration(s.TookMS)*time.Millisecond)))
	const below = "       "
	if s.Refusal != "" {
		p.Line(below, words.Phrase(p.Lang, s.Refusal))
	}
	p.Line(below+"thought: ", text.Cut(text.Line(s.Thought), 400))
	p.Line(below+"explain: ", text.Cut(text.Line(s.Explain), 400))
	for _, r := range s.Replies {
		p.Written(below+"reply: ", r.Reply)
		if r.Again {
			p.Line(below+"not used: ", r.Error)
		} else {
			p.Line(below+"not understood: ", r.Error)
		}
	}
	s.exchange(p, below)
	p.Line(below+"picture: ", s.Picture)
	p.Line(below+"no picture: ", s.Missing)
}

// exchange prints the step's question and what came of it.
func (s ShownStep) exchange(p tty.Sheet, below string) {
	asked := In(p.Lang).Span(time.Duration(s.AskedMS) * time.Millisecond)
	switch q, x := s.Question, s.Exchange; {
	case q != nil && q.Resolution != nil:
		p.Line(below+"asked: ", q.Text)
		p.Line(below+string(q.Status)+": ", fmt.Sprintf(words.Phrase(p.Lang, "%s (%s, after %s)"),
			cmp.Or(q.Resolution.Response.String(), words.Phrase(p.Lang, q.Resolution.Why), "-"),
			words.Phrase(p.Lang, q.Resolution.Who()), asked))
	case q != nil:
		p.Line(below+"asked: ", q.Text)
		p.Line(below+string(q.Status)+": ", words.Phrase(p.Lang, fmt.Sprintf("for %s", asked)))
	case x != nil:
		p.Line(below+"asked: ", x.Question)
		p.Line(below+cmp.Or(In(p.Lang).Outcomes[x.Outcome], string(x.Outcome))+In(p.Lang).Colon,
			cmp.Or(x.Answer, "-"))
	}
}

// node prints an agent, or what one did, with what people said to it and what is below it.
func node(p tty.Sheet, n *export.Node, by string) {
	p.Line(by+n.ID+"  ", cmp.Or(n.Says[words.Match(p.Lang)], strings.TrimSpace(n.Name+" "+n.Words)))
	by += "  "
	if q := n.Asked; q != nil {
		waited := time.Since(q.AskedAt)
		if q.Resolution != nil {
			waited = q.Resolution.At.Sub(q.AskedAt)
		}
		asked := q.In(p.Lang)
		ShownStep{Question: &asked, AskedMS: waited.Milliseconds()}.exchange(p, by)
	}
	if len(n.Changed) > 0 {
		p.Line(by+"arguments: ", text.Readable(n.Changed))
	}
	label := "= "
	if n.Outcome == string(store.Failed) {
		label = "failed: "
	}
	p.Line(by+label, text.Cut(text.Line(n.Result), mostTold))
	for _, below := range n.Below {
		node(p, below, by)
	}
}
