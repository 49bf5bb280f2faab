package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/decider"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
)

// thinker is a model that says the next of these, the last one for ever, after a second.
type thinker struct {
	mu    sync.Mutex
	says  []string // "" is an error, and "..." waits until it is given up
	asked []model.Request
}

func (m *thinker) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	m.mu.Lock()
	m.asked = append(m.asked, r)
	says := m.says[0]
	if len(m.says) > 1 {
		m.says = m.says[1:]
	}
	m.mu.Unlock()
	if says == "..." {
		<-ctx.Done()
		return model.Response{}, context.Cause(ctx)
	}
	time.Sleep(time.Second)
	if says == "" {
		return model.Response{}, errors.New("connection refused")
	}
	return model.Response{Text: says,
		Usage: model.Usage{PromptTokens: 100, CompletionTokens: 10}}, nil
}

func (m *thinker) times() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// thinks lets a model with the name fast decide.
func (w *fixture) thinks(change func(o *runs.Options), says ...string) *thinker {
	w.t.Helper()
	m := &thinker{says: says}
	d, err := decider.New(&decider.Options{Model: m, Name: "fast", PromptPrice: 2, ReplyPrice: 2})
	require.NoError(w.t, err)
	w.again(func(o *runs.Options) {
		o.Asking.Deciders = map[channel.Mode]asking.Decider{channel.Model: d, channel.OfModel("fast"): d}
		if change != nil {
			change(o)
		}
	})
	return m
}

const blue = `{"choice": "blue"}`

func TestTheDecidingModelOfAChainDecides(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		m := w.thinks(nil, blue)
		st := withMode(w, "model:fast -> pass_to_client", "tap Remember ask tap")
		require.Equal(t, "done blue", st.Run.Answer)
		require.Equal(t, actions.ModelAnswer, st.Run.Progress.Exchanges[0].Outcome)
		q := w.questions(st.Session.ID)[0]
		require.Equal(t, "the model fast (agent)", q.Resolution.Authorized())
		require.Equal(t, 1, m.times())
		rules, said := m.asked[0].Messages[0].Parts, m.asked[0].Messages[1].Parts
		require.Contains(t, rules[0].Text, "The picture is the screen")
		require.NotEmpty(t, said[0].JPEG)
		var shown map[string]any
		require.NoError(t, json.Unmarshal([]byte(said[1].Text), &shown))
		require.Equal(t, "tap Remember ask tap", shown["task"])
		require.Equal(t, "question 1?", shown["question"])
		require.Equal(t, []any{"red", "blue"}, shown["choices"])
		require.Equal(t, []any{"Remember", "step 3"}, shown["notes"])
		require.Len(t, shown["steps"], 3)
		require.Contains(t, shown["steps"].([]any)[0], "1. CLICK")

		require.Equal(t, 110, st.Usage.PromptTokens+st.Usage.CompletionTokens-tokensOf(st))
		require.GreaterOrEqual(t, st.Usage.Timing.Model, time.Second)
		audit, err := w.store.Audit.List(w.ctx(), store.AuditFilter{QuestionID: q.ID})
		require.NoError(t, err)
		require.Equal(t, store.AuditAnswered, audit[1].Event)
		require.Equal(t, []string{"fast", "model", "agent", "blue"}, []string{audit[1].By,
			audit[1].Channel, audit[1].Authority, audit[1].Answer})
	})
}

// tokensOf are those of the steps.
func tokensOf(st runs.Status) (n int) {
	for _, s := range st.Steps {
		for _, t := range s.Proposal.Tries {
			n += t.PromptTokens + t.CompletionTokens
		}
	}
	return n
}

func TestWithoutADecisionTheNextOneIsAsked(t *testing.T) {
	for says, trouble := range map[string]string{
		`{"cannot_decide": "that is for Ann"}`: "cannot decide: that is for Ann",
		"":                                     "connection refused",
		"blue, I think":                        "is no decision",
		`{"choice": "green"}`:                  "none of the choices",
		"...":                                  "",
	} {
		bubble(t, func(t *testing.T, w *fixture) {
			w.thinks(nil, says)
			st := begun(w, "model (10s) -> pass_to_client", "ask tap")
			require.Equal(t, agentloop.InfoNeedsReply, st.Reason)
			require.Equal(t, channel.PassToClient, st.Asking)
			require.Contains(t, st.Message, trouble)
			w.reply(st.Session.ID, "red")
			require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
		})
	}
}

func TestAModelMayDecideOnSilence(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		m := w.thinks(func(o *runs.Options) { o.OnTimeout = "model:fast" }, blue)
		st := begun(w, "pass_to_client", "ask tap")
		require.Zero(t, m.times())
		time.Sleep(time.Hour)
		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestAModelMayDecideWhatAPersonRefusesToAnswer(t *testing.T) {
	for says, want := range map[string]string{blue: "done blue", "": "done ask the machine",
		`{"cannot_decide": "x"}`: "done ask the machine"} {
		bubble(t, func(t *testing.T, w *fixture) {
			m := w.thinks(func(o *runs.Options) { o.Asking.OnRefusal = "model:fast" }, says)
			st := begun(w, "pass_to_client", "ask tap")
			refuses := inquiry.Reply{Type: inquiry.TypeDecline, Response: "ask the machine",
				ID: "r", Channel: inquiry.ChannelPage, By: "Ann"}
			for range 2 { // the second time it is the same reply
				st, err := w.manager.Continue(w.ctx(),
					runs.ContinueRequest{SessionID: st.Session.ID, Reply: &refuses})
				require.NoError(t, err)
				require.Equal(t, store.WaitingReply, st.Run.State)
				require.Equal(t, agentloop.StillRunning, st.Reason, "a model is asked")
				require.Equal(t, channel.OfModel("fast"), st.Asking)
			}
			st = w.wait(st.Session.ID)
			require.Equal(t, want, st.Run.Answer)
			require.Equal(t, 1, m.times())
			shown := m.asked[0].Messages[1].Parts[1].Text
			require.Contains(t, shown, `"was asked and did not answer: ask the machine"`)
			q := w.questions(st.Session.ID)[0]
			if says == blue {
				require.Equal(t, "fast", q.Resolution.By)
			} else {
				require.Equal(t, inquiry.Refused, q.Status)
				require.Equal(t, "Ann", q.Resolution.By)
				require.Equal(t, actions.Refused, st.Run.Progress.Exchanges[0].Outcome)
			}
			audit, err := w.store.Audit.List(w.ctx(),
				store.AuditFilter{QuestionID: q.ID, Event: store.AuditDeferred})
			require.NoError(t, err)
			require.Len(t, audit, 1)
			require.Equal(t, "Ann", audit[0].By)
			require.Equal(t, "to model:fast", audit[0].Text)
		})
	}
}

func TestWhatAPersonLeavesToOthersIsDecidedByTheModelThatThereIs(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.thinks(nil, `{"cannot_decide": "x"}`, blue)
		st := begun(w, "model -> pass_to_client", "ask tap")
		q := w.questions(st.Session.ID)[0]
		_, err := w.manager.Broker().Resolve(w.ctx(), q.ID, inquiry.Reply{
			Type: inquiry.TypeDelegate, Channel: inquiry.ChannelPage, Authority: "human_token"})
		require.NoError(t, err)
		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)
	})
}

// A process dies while its model thinks: the next one asks again, and one answer counts.
func TestAfterAKillTheModelIsAskedAgain(t *testing.T) {
	for _, refused := range []bool{false, true} {
		bubble(t, func(t *testing.T, w *fixture) {
			w.thinks(func(o *runs.Options) { o.Asking.OnRefusal = channel.Model }, "...")
			mode := channel.Mode("model:fast -> pass_to_client")
			if refused {
				mode = "pass_to_client"
			}
			st := begun(w, mode, "ask tap")
			if refused {
				_, err := w.manager.Broker().Resolve(w.ctx(), w.questions(st.Session.ID)[0].ID,
					inquiry.Reply{Type: inquiry.TypeDecline, Channel: inquiry.ChannelPage,
						Authority: inquiry.AuthorityHumanToken})
				require.NoError(t, err)
			}
			synctest.Wait()
			before := w.questions(st.Session.ID)[0]
			require.True(t, before.Open())
			m := w.thinks(nil, blue) // by another process, which finds the question open
			require.NoError(t, w.manager.Recover(w.ctx()))
			st = w.wait(st.Session.ID)
			require.Equal(t, "done blue", st.Run.Answer)
			require.Equal(t, 1, m.times())
			require.Len(t, st.Run.Progress.Exchanges, 1)
		})
	}
}

func TestAProgramsQuestionGoesToTheModelsOfTheChain(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		m := w.thinks(nil, `{"values": {"seats": 3}}`, "no idea")
		ask := func(q inquiry.Question) inquiry.Question {
			q.Kind, q.Client = inquiry.KindInquiry, "ann"
			q.Channels = []inquiry.Channel{{Name: "pass_to_client"}, {Name: "page"}}
			q, err := w.manager.Desk().Inquire(w.ctx(), q,
				"manual_reply -> model:fast -> pass_to_client")
			require.NoError(t, err)
			time.Sleep(5 * time.Second)
			q, err = w.manager.Broker().Get(w.ctx(), q.ID)
			require.NoError(t, err)
			return q
		}
		q := ask(inquiry.Question{Text: "the table", Task: "Friday",
			Body: &inquiry.Form{Fields: []inquiry.Field{{Name: "seats",
				Type: inquiry.NumberField}}}})
		require.Equal(t, `{"seats":3}`, q.Resolution.Response.Reveal())
		require.Contains(t, m.asked[0].Messages[1].Parts[0].Text, `"about":"Friday"`)
		cost := inquiry.Spending{Calls: 1, PromptTokens: 100, CompletionTokens: 10, TookMS: 1000,
			Cost: 0.00022}
		require.Equal(t, &cost, q.Usage)

		q = ask(inquiry.Question{Text: "go on?"})
		require.True(t, q.Open())
		require.Equal(t, "pass_to_client", q.Routing.Channel)
		require.Contains(t, q.Routing.Trouble, "is no decision")
		require.Equal(t, []string{"model:fast", "pass_to_client", "page"}, names(q.Channels))
		require.Equal(t, &cost, q.Usage, "in vain is not for nothing")

		q = ask(inquiry.Question{Text: "the code?", Secret: true})
		require.True(t, q.Open())
		require.Equal(t, []string{"pass_to_client", "page"}, names(q.Channels))
		require.Equal(t, 2, m.times(), "about a secret no model is asked")
		require.Nil(t, q.Usage)
	})
}

func names(list []inquiry.Channel) (out []string) {
	for _, c := range list {
		out = append(out, c.Name)
	}
	return out
}

func TestAnUnknownDecidingModelIsRefusedAndOneThatIsGoneIsPassedBy(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.thinks(nil, "...")
		_, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "ask tap",
			Settings: runs.Settings{ReplyMode: "model:slow"}})
		require.ErrorContains(t, err, "reply mode model:slow needs that deciding model")
		st := begun(w, "model:fast -> pass_to_client", "ask tap")
		w.again(func(o *runs.Options) { delete(o.Asking.Deciders, channel.OfModel("fast")) })
		require.NoError(t, w.manager.Recover(w.ctx()))
		st = w.stands(st.Session.ID)
		require.Equal(t, channel.PassToClient, st.Asking)
		require.Contains(t, st.Message, "there is no such model any more")
	})
}

func TestADraftIsMadeBesideThePersonAndDoesNotHoldTheQuestionUp(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		m := w.thinks(func(o *runs.Options) { o.Asking.Draft = channel.Model }, blue)
		st := withMode(w, "pass_to_client", "ask tap")
		require.Nil(t, w.questions(st.Session.ID)[0].Suggestion, "it is there before the draft")
		time.Sleep(2 * time.Second)
		q := w.questions(st.Session.ID)[0]
		require.Equal(t, &inquiry.Suggestion{Answer: "blue", By: "fast"}, q.Suggestion)
		require.Equal(t, 1, m.times())
		w.reply(st.Session.ID, "blue")
		st = w.wait(st.Session.ID)
		require.Equal(t, actions.Answered, st.Run.Progress.Exchanges[0].Outcome)
		require.Equal(t, "fast", w.questions(st.Session.ID)[0].Resolution.Unedited)
		audit, err := w.store.Audit.List(w.ctx(), store.AuditFilter{Event: store.AuditAnswered})
		require.NoError(t, err)
		require.Equal(t, "sent the unedited draft of fast", audit[0].Text)
	})
}

func TestNoDraftIsMadeOfWhatIsForPeople(t *testing.T) {
	for _, task := range []string{"asksecret tap", "askcode tap"} {
		bubble(t, func(t *testing.T, w *fixture) {
			m := w.thinks(func(o *runs.Options) {
				o.Asking.Draft, o.Asking.OnRefusal, o.OnTimeout = channel.Model, channel.Model, "model"
			}, `{"text": "1234"}`)
			st := begun(w, "model -> pass_to_client", task)
			time.Sleep(time.Hour)
			st = w.stands(st.Session.ID)
			require.Equal(t, agentloop.InfoNeedsReply, st.Reason)
			require.Nil(t, st.Question.Suggestion)
			require.Empty(t, st.Question.Fallback)
			require.Zero(t, m.times())
			require.True(t, strings.Contains(st.Message, "a secret"), st.Message)
		})
	}
}

func TestADraftIsSentFromTheConsoleWithAnEmptyLine(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{lines: []string{"", "", ""}}
		w.thinks(func(o *runs.Options) {
			o.Asking.Draft, o.Asking.Console = channel.Model,
				terminal.New(p, "en")
		}, blue)
		st := withMode(w, "pass_to_client (1m) -> manual_reply", "ask tap")
		time.Sleep(time.Minute)
		st = w.wait(st.Session.ID)
		require.Equal(t, "done blue", st.Run.Answer)
		require.Equal(t, "fast", w.questions(st.Session.ID)[0].Resolution.Unedited)
		require.Len(t, p.prompts, 1, "the draft was there before the console's turn")
		require.Contains(t, p.prompts[0], "Draft of the model fast (Enter sends it):\n  blue\n")

		p = &person{lines: []string{"", "", "red"}} // what was not shown is not sent
		w.thinks(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") }, blue)
		st = withMode(w, "manual_reply", "ask tap")
		require.Equal(t, "done red", st.Run.Answer)
	})
}

func TestARefusalAtTheConsoleIsPassedOnOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{lines: []string{"/refuse"}}
		m := w.thinks(func(o *runs.Options) {
			o.Asking.OnRefusal, o.Asking.Console = channel.Model, terminal.New(p, "en")
		}, blue)
		require.Equal(t, "done blue", withMode(w, "manual_reply", "ask tap").Run.Answer)
		require.Equal(t, 1, m.times())
	})
}
