package play

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/words"
)

// glance is how long a call waits, between two looks at what was spent.
const glance = 500 * time.Millisecond

// manySteps is the most steps of a case without a budget of them.
const manySteps = 1000

// call is a call of the suite's author.
func (t *try) call() *usecase.Call {
	by := t.opts.By
	by.Channel = inquiry.ChannelSuite
	return &usecase.Call{Client: "", By: by, Usual: glance, Most: time.Minute,
		Report: &usecase.Reporter{Heartbeat: time.Minute,
			Send: func(_ context.Context, p usecase.Progress) {
				t.opts.View.Step(t.at, t.opts.Mask.Text(p.Message))
			}}}
}

// play carries the parts of the case out, and checks after each what is expected.
func (t *try) play(ctx context.Context) {
	var st runs.Status
	for n, part := range t.at.Item.Stages {
		if t.got.Outcome.Good() {
			st = t.part(ctx, st, n, part)
		}
		t.check(ctx, part.Expect)
	}
	t.got.Steps, t.got.Step = t.spent.Steps, st.Session.Steps
	t.got.Sent, t.got.Got = t.spent.PromptTokens, t.spent.CompletionTokens
	t.got.Cost = t.scene.Cost(t.got.Sent, t.got.Got)
	if t.got.Session = st.Session.ID; t.got.Session != "" { // nothing holds the phone, or asks
		kept, err := t.scene.Kept(context.WithoutCancel(ctx), st.Session.ID)
		t.note("reading the questions: ", err)
		t.got.Asked = text.Each(kept.Questions, t.asked)
		_, err = t.scene.Cases.Stop(context.WithoutCancel(ctx), t.call(),
			usecase.Stop{SessionID: st.Session.ID, Mode: runs.Cancel})
		if runs.CodeOf(err) != runs.SessionNotFound {
			t.note("ending the session: ", err)
		}
	}
}

// part carries one part of the case out.
func (t *try) part(ctx context.Context, st runs.Status, n int, part suite.Stage) runs.Status {
	if t.left(st) <= 0 {
		return st
	}
	next, err := t.begin(ctx, st, n, part)
	if err == nil {
		st, err = t.follow(ctx, next)
	}
	if err != nil {
		t.broke(suite.KindSuite, err)
		return st
	}
	t.spent = plus(t.spent, st.Usage)
	if at, is := skill.PlaceOf(st.Run.Progress); is && len(at.Healed) > 0 {
		t.healed = len(at.Healed)
	}
	t.got.Claimed = st.Run.State == store.Completed
	if v := st.Run.Progress.Verification; v != nil {
		t.got.Verdict, t.got.Seen = string(v.Verdict), v.Evidence
	}
	t.got.Answer, t.facts.Answer = st.Run.Answer, st.Run.Answer
	if t.got.Claimed {
		t.facts.Answer = strings.ReplaceAll(cmp.Or(t.scene.Told(), st.Run.Answer),
			runs.SecretWord, cmp.Or(t.secret, runs.SecretWord))
	}
	t.end(ctx, st)
	return st
}

func plus(a, b store.Usage) store.Usage {
	a.Steps += b.Steps
	a.PromptTokens += b.PromptTokens
	a.CompletionTokens += b.CompletionTokens
	return a
}

// begin starts the first part of a case, or continues with a further one.
func (t *try) begin(ctx context.Context, st runs.Status, n int, part suite.Stage) (
	runs.Status, error) {
	now := 0.0
	how := usecase.Running{Device: t.at.Serial, MaxSteps: t.left(st), Seconds: &now}
	mode := string(channel.PassToClient)
	if t.opts.Ask {
		mode = t.opts.Mode
	}
	var out *usecase.Outcome
	var err error
	if n == 0 {
		var plan json.RawMessage
		if part.Skill != nil {
			plan, _ = json.Marshal(part.Skill) // it was read before
		}
		out, err = t.scene.Cases.Start(ctx, t.call(), usecase.Start{Task: part.Task,
			ReplyMode: mode, Reset: !t.opened, Moving: t.opened, Skill: plan, Running: how})
	} else {
		out, err = t.scene.Cases.Continue(ctx, t.call(), usecase.Continue{
			SessionID: st.Session.ID, Task: part.Task, ReplyMode: mode, Running: how})
	}
	if err != nil {
		return st, err
	}
	t.scene.Began(out.Status.Run.ID)
	return out.Status, nil
}

// follow waits for the end of a run, and answers its questions.
func (t *try) follow(ctx context.Context, st runs.Status) (runs.Status, error) {
	for {
		open := st.Question != nil && st.Question.Open()
		switch {
		case ctx.Err() != nil:
			return st, nil
		case t.over(plus(t.spent, st.Usage)):
			return st, nil
		case open:
			next, known, err := t.answer(ctx, st)
			if err != nil || !known && !t.opts.Ask {
				return next, err
			}
			if st = next; known {
				continue
			}
		case st.Reason != agentloop.StillRunning:
			return st, nil
		}
		wait, began := usecase.Wait{SessionID: st.Session.ID}, time.Now()
		if most := time.Duration(t.at.Item.Budget().Time); open {
			wait.QuestionID = st.Question.ID
		} else if most > 0 {
			wait.Seconds = new(min(most-t.worked, glance).Seconds())
		}
		out, err := t.scene.Cases.Wait(ctx, t.call(), wait)
		if !open {
			t.worked += time.Since(began)
		}
		if err == nil {
			st = out.Status
		} else if ctx.Err() == nil {
			return st, err
		}
	}
}

// left is how many steps more an attempt may do that stands so, which has failed without any.
func (t *try) left(st runs.Status) int {
	most := cmp.Or(t.at.Item.Budget().Steps, manySteps)
	left := most - st.Run.Progress.From(st.Session.Steps)
	if left <= 0 {
		t.fail(suite.Failed, "", t.say.Play.AllSteps, most)
	}
	return left
}

// over fails an attempt that has used more than it may, and reports whether it has failed.
func (t *try) over(u store.Usage) bool {
	b, took, say := t.at.Item.Budget(), t.worked, &t.say.Play
	tokens, cost := u.PromptTokens+u.CompletionTokens, t.scene.Cost(u.PromptTokens,
		u.CompletionTokens)
	switch {
	case !t.got.Outcome.Good():
	case b.Tokens > 0 && tokens > b.Tokens:
		t.fail(suite.Failed, "", say.Tokens, tokens, b.Tokens)
	case b.Cost > 0 && cost > b.Cost:
		t.fail(suite.Failed, "", say.Cost, cost, b.Cost)
	case b.Time > 0 && took > time.Duration(b.Time):
		t.fail(suite.Failed, "", say.Time, took.Round(100*time.Millisecond),
			time.Duration(b.Time))
	default:
		return false
	}
	return true
}

// answer answers the open question as the suite says. known is false if the suite does not.
func (t *try) answer(ctx context.Context, st runs.Status) (
	next runs.Status, known bool, err error) {
	q := *st.Question
	reply := t.reply(&q)
	if reply == nil {
		return st, false, nil
	}
	left, now := t.left(st), 0.0
	if left <= 0 {
		return st, true, nil
	}
	reply.QuestionID = q.ID
	out, err := t.scene.Cases.Continue(ctx, t.call(), usecase.Continue{SessionID: st.Session.ID,
		Reply: *reply, Running: usecase.Running{Seconds: &now, MaxSteps: left}})
	switch {
	case runs.CodeOf(err) == runs.QuestionAlreadyResolved: // a person was faster
		return st, false, nil
	case ctx.Err() != nil:
		return st, true, nil
	case err != nil:
		return st, false, fmt.Errorf("answering %s: %w", text.Quote(q.Text, 200), err)
	}
	return out.Status, true, nil
}

// reply is what the suite says to a question, or nil.
func (t *try) reply(q *inquiry.Question) *usecase.Reply {
	c := &t.at.Item.Case
	if requests := inquiry.As[inquiry.Approval](*q).ActionRequests; len(requests) > 0 {
		return t.decide(q, requests)
	}
	for n := range c.Replies {
		one := &c.Replies[n]
		most := int(cmp.Or(one.Times, 1))
		if !one.Question.MatchString(q.Text) || most > 0 && t.used[n] >= most {
			continue
		}
		t.used[n]++
		reply := &usecase.Reply{Words: one.Reply}
		if q.Kind == inquiry.KindTakeover {
			reply.ReplyType = inquiry.TypeDone
		}
		if reply.Secret = t.opts.Mask.Text(one.Reply) != one.Reply; reply.Secret {
			if t.secret == "" || t.secret == one.Reply {
				t.secret = one.Reply
			} else {
				t.secret = runs.SecretWord
			}
		}
		return reply
	}
	return nil
}

// decide decides about every action of a question, or about none.
func (t *try) decide(q *inquiry.Question, requests []inquiry.ActionRequest) *usecase.Reply {
	r := &usecase.Reply{}
	for _, a := range requests {
		d := t.decision(q, &a)
		if d == nil {
			return nil
		}
		one := usecase.Decision{Type: d.Decide, Message: d.Message}
		if d.Decide == inquiry.Edit {
			one.Edited, _ = json.Marshal(d.Edited) // it was read before
		}
		t.refused = t.refused || d.Decide == inquiry.Reject
		r.Decisions = append(r.Decisions, one)
	}
	return r
}

// decision is the suite's about an action, or nil.
func (t *try) decision(q *inquiry.Question, a *inquiry.ActionRequest) *suite.Approval {
	about := inquiry.As[inquiry.Approval](*q)
	texts := strings.Join([]string{q.Text, a.Description, about.Element, about.Reason}, "\n")
	list := t.at.Item.Case.Approvals
	for n := range list {
		m := &list[n].Match
		if (m.Action == "" || strings.EqualFold(m.Action, a.Name)) &&
			(m.App == "" || m.App == q.App) &&
			(m.Text.Regexp == nil || m.Text.MatchString(texts)) {
			return &list[n]
		}
	}
	return nil
}

// asked is a question with the answer that it has, and whose that is.
func (t *try) asked(q inquiry.Question) suite.Asked {
	out := suite.Asked{Question: q.InFull()}
	no := []inquiry.Status{inquiry.Pending, inquiry.Withdrawn, inquiry.Expired}
	if r := q.Resolution; !slices.Contains(no, q.Status) {
		out.Answer = cmp.Or(r.Response.String(), string(r.Type))
		out.By = words.Phrase(t.opts.Lang, r.Who())
	}
	return out
}

// end fails the attempt if its run did not end as a case's has to.
func (t *try) end(ctx context.Context, st runs.Status) {
	why := cmp.Or(st.Message, st.Run.Answer, string(st.Reason))
	kind, isBroken := ends[st.Reason]
	switch asks := st.Question != nil && st.Question.Open(); {
	case !t.got.Outcome.Good(): // over budget
	case ctx.Err() != nil:
		t.fail(suite.Failed, "", "%v", context.Cause(ctx))
	case asks:
		t.fail(suite.NeedsPerson, "", t.say.Play.Asks, st.Question.InFull())
	case st.Reason == agentloop.ReplayDiverged && t.scene.Unfit(why):
		t.fail(suite.SetupFailed, suite.KindCassette, "%s", why)
	case isBroken:
		t.fail(suite.SetupFailed, kind, "%s: %s", st.Reason, why)
	case st.Reason == agentloop.MaxStepsReached:
		t.fail(suite.Failed, "", t.say.Play.AllSteps, t.spent.Steps)
	case st.Run.State == store.Completed, t.refused && (st.Reason == agentloop.TaskAborted ||
		st.Reason == agentloop.ActionRejected): // what the suite wanted: the expectations decide
	case st.Reason == agentloop.TaskAborted:
		t.fail(suite.Failed, "", t.say.Play.GaveUp, why)
	default:
		t.fail(suite.Failed, "", "%s: %s", st.Reason, why)
	}
}
