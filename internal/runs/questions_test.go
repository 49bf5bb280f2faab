package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
)

// person is a console where the lines are typed one after the other; with none left nobody types.
type person struct {
	mu      sync.Mutex
	lines   []string
	gone    bool // the terminal is closed when the lines are over
	prompts []string
	secret  []bool
	left    error // why the last question was closed
}

func (p *person) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	p.mu.Lock()
	p.prompts, p.secret = append(p.prompts, prompt), append(p.secret, secret)
	if len(p.lines) > 0 {
		defer p.mu.Unlock()
		line := p.lines[0]
		p.lines = p.lines[1:]
		return line, nil
	}
	p.mu.Unlock()
	if p.gone {
		return "", io.EOF
	}
	<-ctx.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = context.Cause(ctx)
	return "", p.left
}

// oracle is a model that answers for people.
type oracle struct {
	err    error
	frames int
}

func (o *oracle) Reply(_ context.Context, task, question string, options []string,
	f *screen.Frame) (string, error) {
	if f != nil {
		o.frames++
	}
	return fmt.Sprintf("%s|%s|%v", task, question, options), o.err
}

func withMode(w *fixture, mode channel.Mode, task string) runs.Status {
	w.t.Helper()
	st, err := w.manager.Start(
		w.ctx(),
		runs.StartRequest{
			Task:            task,
			KeepEnvironment: true,
			Settings:        runs.Settings{ReplyMode: mode},
		},
	)
	require.NoError(w.t, err)
	return w.wait(st.Session.ID)
}

// again is the environment with other options.
func (w *fixture) again(change func(o *runs.Options)) {
	w.close()
	change(&w.opts)
	w.begin()
}

func TestWithoutRepliesTheRunIsToldToGoOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := withMode(w, channel.NoReply, "ask tap")
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, []actions.Exchange{{Question: "question 1?", Outcome: actions.NoReply}},
			st.Run.Progress.Exchanges)
		require.Empty(t, w.questions(st.Session.ID))
	})
}

func TestAModelAnswersInAPersonsPlaceAndIsMarkedAsOne(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := &oracle{}
		w.again(func(opts *runs.Options) { opts.Asking.Answerer = o })
		st := withMode(w, channel.AutoReply, "ask tap")
		require.Equal(
			t,
			[]actions.Exchange{
				{
					Question: "question 1?",
					Answer:   "ask tap|question 1?|[red blue]",
					Outcome:  actions.ModelAnswer,
				},
			},
			st.Run.Progress.Exchanges,
		)
		require.Equal(t, 1, o.frames)

		o.err = errors.New("connection refused")
		st = withMode(w, channel.AutoReply, "ask tap")
		require.Equal(t, store.WaitingReply, st.Run.State,
			"the question is open to everybody else")
		require.Equal(t, agentloop.InfoNeedsReply, st.Reason)
		require.Contains(t, st.Message, "auto_reply had no answer: connection refused")
		w.reply(st.Session.ID, "red")
		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestThePersonAtTheConsoleAnswers(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  actions.Exchange
		asks  int
	}{
		{"words", []string{"green"}, actions.Exchange{Answer: "green", Outcome: actions.Answered},
			1},
		{"the number of an option", []string{" 2 "}, actions.Exchange{Answer: "blue",
			Outcome: actions.Answered}, 1},
		{"a number that is no option", []string{"3"}, actions.Exchange{Answer: "3",
			Outcome: actions.Answered}, 1},
		{"nothing at first", []string{"", "  ", "red"}, actions.Exchange{Answer: "red",
			Outcome: actions.Answered}, 3},
		{"no answer", []string{"/refuse"}, actions.Exchange{Outcome: actions.Refused}, 1},
		{"the agent's choice", []string{"/delegate"},
			actions.Exchange{Outcome: actions.Delegated}, 1},
		{"no answer in time", []string{" /timeout "}, actions.Exchange{Outcome: actions.Silence},
			1},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				p := &person{lines: c.lines}
				w.again(func(o *runs.Options) {
					o.Asking.Console, o.OnTimeout = terminal.New(p, "en"),
						inquiry.GoOn
				})

				st := withMode(w, channel.ManualReply, "ask tap")

				require.Equal(t, store.Completed, st.Run.State)
				c.want.Question = "question 1?"
				require.Equal(t, []actions.Exchange{c.want}, st.Run.Progress.Exchanges)
				require.Len(t, p.prompts, c.asks)
				require.Contains(t, p.prompts[0], "The agent asks:")
				require.Contains(t, p.prompts[0], "question 1?")
				require.Contains(t, p.prompts[0], "2. blue")
				q := w.questions(st.Session.ID)[0]
				require.Equal(t, "local_operator", q.Resolution.Authority)
				require.False(t, q.AppliedAt.IsZero())
				require.Equal(t, 3, st.Local, "asked within the call")
			})
		})
	}
}

func TestAModelsTextDoesNotSteerTheTerminal(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{lines: []string{"1"}}
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
		st := withMode(w, channel.ManualReply, "askrudely tap")
		require.Contains(t, p.prompts[0], "  [2Jsure?\n  really?\n  1. yes\n")
		require.Equal(t, "yes", st.Run.Progress.Exchanges[0].Answer)
	})
}

func TestAQuestionThatWasSettledMeanwhileIsNotAskedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{}
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
		st, err := w.manager.Start(
			w.ctx(),
			runs.StartRequest{
				Task:     "ask tap",
				Settings: runs.Settings{ReplyMode: channel.ManualReply},
			},
		)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		read := w.questions(st.Session.ID)[0]
		require.True(t, read.Open())
		_, err = w.manager.Broker().
			Resolve(w.ctx(), read.ID, inquiry.Reply{Response: "blue", Channel: "http"})
		require.NoError(t, err)
		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)

		w.manager.Route(read)

		synctest.Wait()
		require.Len(t, p.prompts, 1)
	})
}

func TestOptionsThatTheModelRepeatsAreOneOption(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{lines: []string{"2"}}
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
		st := withMode(w, channel.ManualReply, "asktwice tap")
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, []string{"red", "blue"},
			inquiry.As[inquiry.Ask](w.questions(st.Session.ID)[0]).Options)
		require.Equal(t, "blue", st.Run.Progress.Exchanges[0].Answer)
	})
}

func TestThePersonAtTheConsoleStopsTheRun(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) {
			o.Asking.Console = terminal.New(&person{lines: []string{"/stop"}},
				"en")
		})
		st := withMode(w, channel.ManualReply, "ask tap")
		require.Equal(t, store.Cancelled, st.Run.State)
		require.Equal(t, inquiry.Withdrawn, w.questions(st.Session.ID)[0].Status)
		synctest.Wait()
		entries, err := w.store.Audit.List(t.Context(),
			store.AuditFilter{SessionID: st.Session.ID})
		require.NoError(t, err)
		last := entries[len(entries)-1]
		require.Equal(t, store.AuditStopped, last.Event)
		require.Equal(t, "console", last.Channel)
		require.Equal(t, st.Run.ID, last.RunID)
	})
}

func TestAQuestionOutlivesTheConsole(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(&person{gone: true}, "en") })
		st := withMode(w, channel.ManualReply, "ask tap")
		require.Equal(t, store.WaitingReply, st.Run.State)
		w.reply(st.Session.ID, "red")
		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestAnotherChannelClosesTheConsole(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{}
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
		st, err := w.manager.Start(
			w.ctx(),
			runs.StartRequest{
				Task:     "ask tap",
				Settings: runs.Settings{ReplyMode: channel.ManualReply},
			},
		)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		q := w.questions(st.Session.ID)[0]
		_, err = w.manager.Broker().
			Resolve(w.ctx(), q.ID, inquiry.Reply{Response: "blue", Channel: "http", By: "kim"})
		require.NoError(t, err)

		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)
		synctest.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		require.ErrorContains(t, p.left, "the question was answered elsewhere")
		require.ErrorContains(t, p.left, "(answered: kim through http)")
	})
}

func TestOneQuestionAtATimeIsOnTheConsole(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{}
		w.phones.phones["B"] = newFakePhones("B").phones["B"]
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
		var ids []string
		for _, serial := range []string{"A", "B"} {
			st, err := w.manager.Start(
				w.ctx(),
				runs.StartRequest{
					Task:     "ask",
					Serial:   serial,
					Settings: runs.Settings{ReplyMode: channel.ManualReply},
				},
			)
			require.NoError(t, err)
			ids = append(ids, st.Session.ID)
		}
		time.Sleep(time.Minute)
		p.mu.Lock()
		require.Len(t, p.prompts, 1)
		p.mu.Unlock()
		for _, id := range ids {
			_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
			require.NoError(t, err)
		}
	})
}

func TestASecretIsTypedAndNeverShown(t *testing.T) {
	const secret = "s3cr3t-4711"
	for _, mode := range []channel.Mode{channel.PassToClient, channel.ManualReply} {
		t.Run(string(mode), func(t *testing.T) {
			var dir string
			bubble(t, func(t *testing.T, w *fixture) {
				dir = w.dir
				p := &person{lines: []string{secret}}
				w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
				st := withMode(w, mode, "asksecret typesecret typesecret tap")
				if mode == channel.PassToClient {
					w.reply(st.Session.ID, secret)
					st = w.wait(st.Session.ID)
				} else {
					require.Equal(t, []bool{true}, p.secret)
				}

				require.Equal(t, store.Completed, st.Run.State)
				require.Equal(t, []string{"type " + secret, "tap"}, w.phones.phones["A"].done(),
					"typed once")
				require.Contains(t, st.Steps[len(st.Steps)-3].Refusal, "no secret is kept")
				require.Contains(t, st.Run.Progress.Exchanges[0].Answer, "TYPE exactly {{secret}}")
				for _, e := range w.events {
					b, err := json.Marshal(e.Progress)
					require.NoError(t, err)
					require.NotContains(t, string(b)+fmt.Sprintf("%+v", e.Step), secret)
				}
				for _, s := range w.policy.seen {
					require.NotContains(t, fmt.Sprintf("%+v", s.Progress), secret)
				}
			})
			require.NoError(
				t,
				filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					b, err := os.ReadFile(path)
					require.False(t, strings.Contains(string(b), secret), path)
					return err
				}),
			)
		})
	}
}

func TestAQuestionThatAsksForACodeIsSecretThoughTheModelDidNotSaySo(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("askcode typesecret").Session.ID)
		require.True(t, st.Question.Secret)
		w.reply(st.Session.ID, "s3cr3t")
		st = w.wait(st.Session.ID)
		require.Equal(t, []string{"type s3cr3t"}, w.phones.phones["A"].done())
		require.NotContains(t, st.Run.Answer, "s3cr3t")
	})
}

func TestARefusedSecretIsNotInTheRefusal(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("asksecret typesecret tap").Session.ID)
		h := w.phones.phones["A"]
		h.onTouch = func(context.Context) error {
			h.onTouch = nil
			return errors.New(`cannot type "s3cr3t"`)
		}
		w.reply(st.Session.ID, "s3cr3t")
		st = w.wait(st.Session.ID)
		require.Equal(t, `not carried out: typing a secret: cannot type "{{secret}}"`,
			st.Steps[0].Refusal)
	})
}

func TestWhatSilenceLeadsTo(t *testing.T) {
	for _, c := range []struct {
		on     inquiry.OnTimeout
		after  time.Duration
		state  store.State
		reason agentloop.StopReason
		out    actions.Outcome
	}{
		{inquiry.Pause, 11 * time.Minute, store.WaitingReply, agentloop.InfoNeedsReply, ""},
		{inquiry.Pause, 25 * time.Hour, store.Expired, agentloop.SessionExpired, ""},
		{inquiry.GoOn, 11 * time.Minute, store.Completed, agentloop.TaskCompleted,
			actions.Silence},
		{inquiry.GiveUp, 11 * time.Minute, store.Aborted, agentloop.QuestionTimedOut, ""},
		{inquiry.AskModel, 11 * time.Minute, store.Completed, agentloop.TaskCompleted,
			actions.ModelAnswer},
	} {
		t.Run(fmt.Sprintf("%s after %v", c.on, c.after), func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				o := &oracle{}
				w.again(func(opts *runs.Options) { opts.OnTimeout, opts.Asking.Answerer = c.on, o })
				st := w.wait(w.start("ask").Session.ID)
				time.Sleep(c.after)
				require.NoError(t, w.manager.Broker().Sweep(w.ctx(), time.Now()))
				synctest.Wait()
				time.Sleep(time.Minute)

				st = w.wait(st.Session.ID)

				require.Equal(t, c.state, st.Run.State)
				require.Equal(t, c.reason, st.Reason)
				if c.out != "" {
					require.Equal(t, c.out, st.Run.Progress.Exchanges[0].Outcome)
				}
				if c.on == inquiry.AskModel {
					require.Equal(t, 1, o.frames, "the model sees what the question was about")
				}
			})
		})
	}
}

func TestACallThatAnswersInTheMomentOfAskingIsHeard(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		answered := false
		w.again(func(o *runs.Options) {
			o.Observe = func(e runs.Event) {
				// The question is stored, and its run does not wait for it yet.
				if e.Kind != agentloop.Ended || e.Ending.Reason != agentloop.InfoNeedsReply {
					return
				}
				answered = true
				q := w.questions(e.SessionID)[0]
				r := runs.ContinueRequest{SessionID: e.SessionID, MaxSteps: 7,
					Reply: &inquiry.Reply{Response: "blue"}}
				_, err := w.manager.Continue(w.ctx(), r)
				require.Equal(t, runs.NoOpenQuestion, runs.CodeOf(err),
					"no call has been shown the question")

				r.QuestionID = q.ID
				st, err := w.manager.Continue(w.ctx(), r)

				require.NoError(t, err)
				require.Equal(t, q.ID, st.Answered.ID)
				require.Equal(t, store.Running, st.Run.State)
				require.Equal(t, q.Fence, st.Run.Fence, "the life that asks sees to the answer")
			}
		})
		id := w.start("ask tap").Session.ID
		synctest.Wait()
		st := w.wait(id)
		require.True(t, answered)
		require.Equal(t, "done blue", st.Run.Answer)
		require.Equal(t, 7, st.Run.MaxSteps, "what the call wants reaches the run")
		require.Len(t, w.phones.phones["A"].done(), 1)
	})
}

func TestAnAnswerInTheMomentOfAskingIsNotLost(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) {
			o.Observe = func(e runs.Event) {
				// The question is stored, and its run does not wait for it yet.
				if e.Kind == agentloop.Ended && e.Ending.Reason == agentloop.InfoNeedsReply {
					_, err := w.manager.Broker().
						Resolve(w.ctx(), w.questions(e.SessionID)[0].ID,
							inquiry.Reply{Response: "blue", Channel: "http"})
					require.NoError(t, err)
				}
			}
		})
		id := w.start("ask tap").Session.ID
		synctest.Wait()
		time.Sleep(time.Minute)
		require.Equal(t, "done blue", w.wait(id).Run.Answer)
	})
}
