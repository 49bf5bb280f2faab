package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// source is what a replay reads of a store. A *store.Store is one.
type source interface {
	Trajectory(ctx context.Context, sessionID string) (store.Trajectory, error)
	Frame(ctx context.Context, id string) ([]byte, error)
}

// past is the progress before a step, rebuilt from the stored steps.
type past struct {
	agentloop.Progress
	lang         string // of notes, auto for that of the task
	run          string // the last step's
	ownSummaries bool   // the recorded model wrote summaries
}

// reach brings p from the step before to the step st.
func (p *past) reach(st store.StepRecord, runs []store.Run) {
	i := slices.IndexFunc(runs, func(r store.Run) bool { return r.ID == st.RunID })
	if i < 0 {
		return
	}
	switch {
	case p.run == "":
		p.Progress = agentloop.Progress{Task: runs[i].Task}
	case p.run != st.RunID:
		before := runs[max(i-1, 0)]
		p.Progress = p.NextTask(runs[i].Task, cmp.Or(before.Answer, string(before.StopReason)))
	case st.Local == 1 && !p.ReplyJustIn: // a new call, and no answer that began it
		p.Progress = p.Resumed()
	}
	p.run = st.RunID
}

// add adds a step. said is its reply as later prompts show it.
func (p *past) add(st store.StepRecord, said actions.Reply) {
	d := st.Proposal.Decision
	p.Steps++
	if len(st.Proposal.Tries) > 0 {
		p.remember(st, said)
		p.Notes, p.ReplyJustIn = nil, false
	}
	switch {
	case d.Summary != "":
		p.Summary, p.ownSummaries = d.Summary, true
	case !p.ownSummaries && d.Action != nil: // most models write none
		p.Summary = strings.TrimPrefix(p.Summary+"; "+did(d), "; ")
	}
	p.Remembered = d.Remember(p.Remembered)
	if n, ok := refusal(st); ok {
		p.Notes = append(slices.Clip(p.Notes), n)
	}
	if st.State == store.Unknown {
		p.Notes = append(slices.Clip(p.Notes), agentloop.Note{
			Kind: agentloop.NoteOutcomeUnknown, Action: actions.Describe(d.Action)})
	}
	if x := st.Exchange; x != nil {
		p.Exchanges, p.ReplyJustIn = append(slices.Clip(p.Exchanges), *x), true
	}
}

// refusal returns the note about an action that was not carried out wholly.
func refusal(st store.StepRecord) (agentloop.Note, bool) {
	n := agentloop.Note{Kind: agentloop.NoteRefused,
		Action: actions.Describe(st.Proposal.Action)}
	why, refused := strings.CutPrefix(st.Refusal, "not carried out: ")
	change, changed := strings.CutSuffix(why, " in the meantime")
	part, partly := strings.CutPrefix(st.Refusal, agentloop.PartialRefusal)
	switch n.Detail = why; {
	case partly:
		n.Kind, n.Detail = agentloop.NotePartial, part
	case refused && changed:
		n = agentloop.Superseded(n.Action, change)
	case strings.HasPrefix(st.Refusal, "outcome unknown: "):
		n.Kind, n.Detail = agentloop.NoteOutcomeUnknown, ""
	case strings.HasPrefix(st.Refusal, agentloop.CutShort):
		return n, false
	}
	return n, st.Refusal != ""
}

// remember adds the step to the turns that a dialect may show again.
func (p *past) remember(st store.StepRecord, said actions.Reply) {
	t := actions.Turn{Step: st.Index, App: st.Screen.State.App, Did: did(st.Proposal.Decision),
		Reply: said}
	for _, n := range p.Notes {
		t.Notes = append(t.Notes, n.Text(words.For(p.lang, p.Task)))
	}
	if n := len(p.Exchanges); p.ReplyJustIn && n > 0 {
		t.Answer = &p.Exchanges[n-1]
	}
	p.History = append(slices.Clip(p.History), t)
}

// did returns a decision in words.
func did(d actions.Decision) string { return cmp.Or(d.Explain, actions.Describe(d.Action)) }

// album shows what former steps saw.
type album struct {
	src   source
	steps []store.StepRecord
}

// Steps implements agentloop.Album.
func (a album) Steps(context.Context) (past []agentloop.Step, err error) {
	for _, st := range a.steps {
		past = append(past, st.Step)
	}
	return past, nil
}

// Frame implements agentloop.Album.
func (a album) Frame(ctx context.Context, step int) (*screen.Frame, error) {
	i := slices.IndexFunc(a.steps, func(st store.StepRecord) bool { return st.Index == step })
	if i < 0 {
		return nil, store.ErrNotFound
	}
	b, err := a.src.Frame(ctx, a.steps[i].FrameID)
	if err != nil {
		return nil, err
	}
	f, err := screen.FromJPEG(b)
	if err != nil {
		return nil, fmt.Errorf("reading frame %s: %w", a.steps[i].FrameID, err)
	}
	return f, nil
}
