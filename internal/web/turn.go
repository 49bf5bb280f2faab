package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// chats are conversations in the form of OpenAI's chat completions.
type chats struct {
	*tasks
	manners sync.Map // of the conversations that show an open question, by session
}

var errPatience = errors.New("the run takes longer than a conversation waits that is not streamed")

// chatTurn is one turn of a conversation.
type chatTurn struct {
	*conversation
	s      *chats
	v      viewer
	client string // whom the session belongs to
	key    string
	words  *chatWords

	id   string      // of the session, once it has begun
	now  runs.Status // how it stands
	step int         // the last one that was told
	note string      // what is said first: why the words were not taken

	apart bool // the question is one of the session's agents
}

// do carries out a use case, and keeps how things stand after it.
func (t *chatTurn) do(ctx context.Context, do useCase, progress func()) error {
	q := request{line: "POST " + chatPath, body: map[string]any{}, client: t.client}
	out, err := t.s.call(ctx, t.v, q, do, progress)
	if no, is := errors.AsType[*refused](err); is {
		return no.refusal()
	}
	if err == nil {
		t.now, t.id = out.Status, out.Status.Session.ID
		if t.apart = t.now.Question == nil && len(out.Asked) > 0; t.apart {
			t.now.Question = &out.Asked[0]
		}
	}
	return err
}

// once is how long a call waits that returns as soon as what it does is stored.
func once() *float64 { return new(0.0) }

// begin does what the user's words are for, and returns as soon as that is stored.
func (t *chatTurn) begin(ctx context.Context) error {
	if t.greets() {
		t.id = unbegun
		return nil
	}
	if t.session == "" && t.Model == hostModel {
		return t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
			return t.s.opts.Tasks.Delegate(ctx, c, usecase.Delegate{Goal: t.conversation.words,
				Key: t.key, Seconds: once()})
		}, nil)
	}
	if t.session == "" {
		return t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
			return t.s.opts.Tasks.Start(ctx, c, usecase.Start{Task: t.conversation.words,
				Key: t.key, Reset: true, Running: t.onPhone()})
		}, nil)
	}
	x, err := t.s.opts.Sessions.Find(ctx, t.session, t.v.owners())
	if err != nil {
		return err
	}
	t.client, t.id, t.step = x.Client, x.ID, x.Steps
	for tries := 0; ; tries++ {
		err := t.steer(ctx)
		// it may have ended, or asked, between the look and the call
		raced := slices.Contains([]runs.Code{runs.RunEnded, runs.RunInProgress,
			runs.NoOpenQuestion, runs.QuestionAlreadyResolved}, runs.CodeOf(err))
		if !raced || tries == 2 {
			return err
		}
	}
}

// steer passes the words on as the run stands.
func (t *chatTurn) steer(ctx context.Context) error {
	said := t.conversation.words
	if err := t.do(ctx, t.s.look(t.id), nil); err != nil {
		return err
	}
	answered, err := t.answeredBefore(ctx)
	q := t.now.Question
	switch {
	case answered || err != nil:
		return err
	case q != nil && t.doubtful():
		t.note = t.words.Unsure
		return nil
	case t.answers(q) && t.apart:
		return t.settle(ctx, q)
	case t.answers(q):
		a := usecase.Continue{Reply: answerTo(q, said), Key: t.key}
		a.ReplyID = t.key
		return t.goOn(ctx, a)
	case t.question != "" && (q == nil || q.ID != t.question):
		t.note = t.words.Late
		return nil
	case q != nil && inquiry.Settles(said):
		return nil // what it is about was not seen, or is not theirs to settle: it is shown again
	case t.now.Run.State.Terminal():
		return t.again(ctx, t.instruct, t.nextTask)
	case going(t.now):
		return t.again(ctx, t.nextTask, t.instruct)
	}
	paused := t.now.Run.State == store.Paused
	err = t.instruct(ctx)
	if err == nil && paused {
		err = t.goOn(ctx, usecase.Continue{})
	}
	return err
}

// answers reports whether the user's words are for the question. It must have been seen; where that
// cannot be told, that goes for questions about acts alone.
func (t *chatTurn) answers(q *inquiry.Question) bool {
	return q != nil && t.mayAnswer(q) &&
		(q.ID == t.question ||
			t.question == "" && !t.seen && q.Kind.Flag() == "" && !q.ForPeople())
}

// mayAnswer reports whether who talks here may answer the question.
func (t *chatTurn) mayAnswer(q *inquiry.Question) bool { return !q.ForPeople() || t.v.Decides }

// settle answers a question of agents, which no answer to their session is for.
func (t *chatTurn) settle(ctx context.Context, q *inquiry.Question) error {
	r := q.Hear(t.conversation.words)
	who := t.v.caller()
	r.Channel, r.Authority, r.By, r.ID = who.Channel, who.Authority, who.Name, t.key
	if _, err := t.s.opts.Questions.Resolve(ctx, q.ID, r); err != nil {
		return err
	}
	return t.do(ctx, t.s.look(t.id), nil)
}

// goOn continues the session.
func (t *chatTurn) goOn(ctx context.Context, a usecase.Continue) error {
	a.SessionID, a.Seconds = t.id, once()
	return t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
		return t.s.opts.Tasks.Continue(ctx, c, a)
	}, nil)
}

// answeredBefore reports whether the turn was sent before, under its key, and was an answer then.
func (t *chatTurn) answeredBefore(ctx context.Context) (bool, error) {
	if t.key == "" {
		return false, nil
	}
	list, err := t.s.opts.Questions.List(ctx, inquiry.Filter{SessionID: t.id})
	return slices.ContainsFunc(list, func(q inquiry.Question) bool {
		return q.Resolution != nil && q.Resolution.ReplyID == t.key
	}), err
}

// again passes the words on as now does. What is sent again under its key may have come when the
// words were for something else: before is refused, unless that is so.
func (t *chatTurn) again(ctx context.Context, before, now func(context.Context) error) error {
	if t.key != "" {
		err := before(ctx)
		if _, refused := errors.AsType[*refusal](err); !refused {
			return err
		}
	}
	return now(ctx)
}

// nextTask begins a task, which is refused while another one runs.
func (t *chatTurn) nextTask(ctx context.Context) error {
	return t.goOn(ctx, usecase.Continue{Task: t.conversation.words, Key: t.key,
		Running: t.onPhone()})
}

// instruct tells the run, which is refused once that has ended.
func (t *chatTurn) instruct(ctx context.Context) error {
	return t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
		return t.s.opts.Tasks.Message(ctx, c, usecase.Message{SessionID: t.id,
			Text: t.conversation.words, Mode: agentloop.AsInstruction, Key: t.key})
	}, nil)
}

// onPhone names the phone, unless any will do.
func (t *chatTurn) onPhone() usecase.Running {
	on := usecase.Running{Seconds: once()}
	if t.Model != "" && t.Model != anyPhone && t.Model != hostModel {
		on.Device = t.Model
	}
	return on
}

// agentsWait is how soon a question of agents is seen.
const agentsWait = 2 * time.Second

// follow waits until the run asks something, rests or has ended. told gets its steps, each in a
// line, and "" now and then.
func (t *chatTurn) follow(ctx context.Context, told func(line string) error) error {
	if t.id == unbegun {
		return nil
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	progress := func() {
		if err := t.reportSteps(ctx, told); err != nil {
			end(err)
		}
	}
	each := maxWait
	if t.Model == hostModel { // a question of agents ends no wait for them
		each = agentsWait
	}
	for going(t.now) && t.now.Question == nil {
		a := usecase.Wait{SessionID: t.id, Since: t.now.Session.Steps,
			Seconds: new(each.Seconds())}
		err := t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
			return t.s.opts.Tasks.Wait(ctx, c, a)
		}, progress)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
	}
	return t.reportSteps(ctx, told)
}

// reportSteps tells the steps that were not told.
func (t *chatTurn) reportSteps(ctx context.Context, told func(line string) error) error {
	steps, err := t.s.opts.Sessions.Steps(ctx, t.id, t.step)
	if err != nil {
		return err
	}
	for _, st := range steps {
		if st.State == store.Intent { // it is being done
			break
		}
		t.step = st.Index
		did := export.EndsIn(t.words.Lang).Made(st.Step)
		if err := told(fmt.Sprintf("%d. %s\n", st.Index, did)); err != nil {
			return err
		}
	}
	if len(steps) == 0 {
		return told("")
	}
	return nil
}

// first begins the turn's text.
func (t *chatTurn) first() string {
	said := fmt.Sprintf(mark, t.id)
	if t.note != "" {
		said += t.note + "\n"
	}
	return said
}

// last ends the turn's text.
func (t *chatTurn) last() string {
	q := t.now.Question
	if t.id == unbegun {
		return t.words.Hello
	}
	if q == nil {
		t.s.manners.Delete(t.id)
		return t.words.last(&t.now, "", false)
	}
	if t.note == "" {
		t.s.manners.Store(t.id, t.manner())
	}
	page := result.PageURL(t.s.opts.BaseURL, q.ID)
	said := t.words.last(&t.now, page, t.mayAnswer(q))
	return said + fmt.Sprintf(questionMark, q.ID)
}
