package runs_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// found tells in which files of the folder the text is.
func found(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			files = append(files, path)
		}
		return err
	}))
	return files
}

func TestASecretIsThereUntilItWasTypedAlsoAfterAPauseAndARestart(t *testing.T) {
	const secret = "s3cr3t-4711"
	for name, interrupt := range map[string]func(w *fixture, id string){
		"pause": func(w *fixture, id string) {
			_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
			require.NoError(w.t, err)
		},
		"restart": func(w *fixture, id string) {
			w.close()
			w.begin()
			require.NoError(w.t, w.manager.Recover(w.ctx()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var dir string
			bubble(t, func(t *testing.T, w *fixture) {
				dir = w.dir
				st := w.wait(w.start("asksecret typesecret tap").Session.ID)
				w.policy.think = time.Hour
				w.reply(st.Session.ID, secret)
				time.Sleep(time.Minute) // the model thinks about it
				interrupt(w, st.Session.ID)
				require.Empty(t, w.phones.phones["A"].done())
				require.Empty(t, found(t, dir, secret))

				w.policy.think = time.Second
				_, err := w.manager.Continue(w.ctx(),
					runs.ContinueRequest{SessionID: st.Session.ID})
				require.NoError(t, err)
				st = w.wait(st.Session.ID)
				require.Equal(t, store.Completed, st.Run.State)
				require.Equal(t, []string{"type " + secret, "tap"}, w.phones.phones["A"].done())
				kept, err := w.store.Secrets.Of(w.ctx(), st.Run.ID)
				require.NoError(t, err)
				require.Empty(t, kept, "nothing of it is left once the run has ended")
			})
			require.Empty(t, found(t, dir, secret))
		})
	}
}

// reader is a gate that keeps what is on the screen, also looking ahead beside the run.
type reader struct {
	mu          *sync.Mutex
	seen, ahead *[]string
}

func (r reader) Check(
	ctx context.Context, s agentloop.Situation, _ actions.Decision,
) (agentloop.Verdict, error) {
	list, err := s.Reader.Elements(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range list {
		*r.seen = append(*r.seen, e.Text)
	}
	return agentloop.Allow().With(fmt.Sprint(*r.seen)), err
}

// Preview implements agentloop.Previewer.
func (r reader) Preview(ctx context.Context, s agentloop.Situation) {
	list, err := s.Reader.Elements(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range list {
		*r.ahead = append(*r.ahead, e.Text)
	}
	if err != nil {
		*r.ahead = append(*r.ahead, err.Error())
	}
}

func TestAGateIsNotShownASecretThatIsOnTheScreen(t *testing.T) {
	const secret = "482913"
	var dir string
	bubble(t, func(t *testing.T, w *fixture) {
		dir = w.dir
		var seen, ahead []string
		var mu sync.Mutex
		w.policy.reads = true
		w.again(func(o *runs.Options) {
			o.NewGate = func(store.Session, store.Run) agentloop.Gate { return reader{&mu, &seen, &ahead} }
		})
		st := w.wait(w.start("asksecret typesecret tap").Session.ID)
		w.reply(st.Session.ID, secret)
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, []string{"type " + secret, "tap"}, w.phones.phones["A"].done())
		synctest.Wait() // a look ahead may be under way
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, []string{"{{secret}}"}, seen)
		require.Contains(t, ahead, "{{secret}}", "nor one that looks ahead")
		require.NotContains(t, ahead, secret)
		steps, err := w.store.Steps(w.ctx(), st.Session.ID, 0)
		require.NoError(t, err)
		require.Equal(t, "[{{secret}}]", steps[2].Seen)
		require.Equal(t, "{{secret}}", steps[2].Proposal.Elements[0].Text,
			"nor are the elements kept with it that the model was shown")
	})
	require.Empty(t, found(t, dir, secret))
}

func TestASecretIsTypedOnceAlsoOverARestart(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("asksecret typesecret wait typesecret tap").Session.ID)
		w.reply(st.Session.ID, "s3cr3t")
		time.Sleep(5 * time.Second) // typed, and waiting
		require.Equal(t, []string{"type s3cr3t"}, w.phones.phones["A"].done())
		w.close()
		w.begin()
		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID})
		require.NoError(t, err)
		w.wait(st.Session.ID)
		require.Equal(t, []string{"type s3cr3t", "tap"}, w.phones.phones["A"].done())
	})
}

func TestASecretThatWasTypedIsTypedOnceWhateverTheTypingHasLeft(t *testing.T) {
	const secret = "s3cr3t-4711"
	bubble(t, func(t *testing.T, w *fixture) {
		touches := 0
		w.phones.phones["A"].onTouch = func(context.Context) error {
			touches++
			return actions.Done(fmt.Errorf("after %s the keyboard stays", secret))
		}
		st := w.wait(w.start("asksecret typesecret typesecret tap").Session.ID)
		w.reply(st.Session.ID, secret)
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, 2, touches, "it was typed once, and then a tap")
		require.Equal(t, []agentloop.Warning{{Setting: "phone",
			Text: "typing a secret: after {{secret}} the keyboard stays"}},
			st.Run.Progress.Warnings)
	})
}

// What is hidden may be a part of what it is hidden behind.
func TestASecretThatIsAPartOfItsPlaceholderIsTypedAsItIs(t *testing.T) {
	for _, secret := range []string{"secret", "{{se", "cret}}", "{{secret}}"} {
		bubble(t, func(t *testing.T, w *fixture) {
			st := w.wait(w.start("asksecret typesecret tap").Session.ID)
			w.reply(st.Session.ID, secret)
			require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
			require.Equal(t, []string{"type " + secret, "tap"}, w.phones.phones["A"].done())
		})
	}
}

// A model that sees the code on the screen may say it.
func TestWhatTheModelSaysDoesNotRepeatASecret(t *testing.T) {
	const secret = "s3cr3t-4711"
	var dir string
	bubble(t, func(t *testing.T, w *fixture) {
		dir = w.dir
		st := w.wait(w.start("asksecret typesecret memo").Session.ID)
		w.policy.says = "the code is " + secret + "!"
		w.reply(st.Session.ID, secret)
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		require.Contains(t, st.Run.Answer, "the code is {{secret}}!")
		require.Equal(t, []string{"type " + secret}, w.phones.phones["A"].done())
		require.NotContains(t, fmt.Sprintf("%+v %+v", st.Steps, w.events), secret)
	})
	require.Empty(t, found(t, dir, secret))
}

func TestTheReasonOfARefusalToTellASecretIsNotTold(t *testing.T) {
	const reason = "because-4711"
	var dir string
	bubble(t, func(t *testing.T, w *fixture) {
		dir = w.dir
		st := w.wait(w.start("asksecret tap").Session.ID)
		_, err := w.manager.Broker().Resolve(w.ctx(), st.Question.ID,
			inquiry.Reply{Type: inquiry.TypeDecline, Response: reason})
		require.NoError(t, err)
		st = w.wait(st.Session.ID)
		require.Equal(t, []actions.Exchange{{Question: "the code?", Outcome: actions.Refused}},
			st.Run.Progress.Exchanges)
	})
	require.Empty(t, found(t, dir, reason))
}

// What is no secret reaches the model as it was given, and nothing of it is masked elsewhere.
func TestWordThatSomethingIsDoneIsNoSecret(t *testing.T) {
	for name, c := range map[string]struct{ ask, answer, says string }{
		"hand-over":             {"askhand", "not today", "not today"},
		"hand-over, done":       {"askhand", "done", "done"},
		"secret, acknowledged":  {"asksecret", "done", "all is done"},
		"by its words, too":     {"askcode", "OK, done!", "ok"},
		"the model says it":     {"askopenly", "482913", "the code 482913"},
		"acknowledged, Chinese": {"asksecret", "好了", "好了吗"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				st := w.wait(w.start(c.ask + " tap memo").Session.ID)
				w.policy.says = c.says
				w.reply(st.Session.ID, c.answer)
				st = w.wait(st.Session.ID)
				require.Equal(t, store.Completed, st.Run.State)
				require.Equal(t, c.answer, st.Run.Progress.Exchanges[0].Answer)
				require.Contains(t, st.Run.Answer, "done "+c.answer, "the model knows it")
				require.NotContains(t, w.facts(), "{{secret}}")
				audit, err := w.store.Audit.List(w.ctx(), store.AuditFilter{})
				require.NoError(t, err)
				require.Contains(t, fmt.Sprintf("%+v", audit), "Answer:"+c.answer)
			})
		})
	}
}

func TestACodeInAnswerToAHandOverIsASecret(t *testing.T) {
	var dir string
	bubble(t, func(t *testing.T, w *fixture) {
		dir = w.dir
		st := w.wait(w.start("askhand typesecret memo").Session.ID)
		require.False(t, st.Question.Secret)
		w.reply(st.Session.ID, "482913")
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, []string{"type 482913"}, w.phones.phones["A"].done())
		require.NotContains(t, w.facts(), "482913")
	})
	require.Empty(t, found(t, dir, "482913"))
}

func TestAPlainWordIsMaskedNowhereElse(t *testing.T) {
	for _, secret := range []string{"summer", "Blau", "芝麻开门", "abc"} {
		bubble(t, func(t *testing.T, w *fixture) {
			st := w.wait(w.start("asksecret typesecret memo").Session.ID)
			w.policy.says = "the " + secret + " sale"
			w.reply(st.Session.ID, secret)
			st = w.wait(st.Session.ID)
			require.Equal(t, []string{"type " + secret}, w.phones.phones["A"].done())
			require.Contains(t, st.Run.Answer, "the "+secret+" sale")
		})
	}
	for _, secret := range []string{"XKQZ", "482913", "hunter2", "correct horse", "HeLLo", "p@ss",
		"correcthorsebattery"} {
		bubble(t, func(t *testing.T, w *fixture) {
			st := w.wait(w.start("asksecret typesecret memo").Session.ID)
			w.policy.says = "the " + secret + " sale"
			w.reply(st.Session.ID, secret)
			st = w.wait(st.Session.ID)
			require.Equal(t, []string{"type " + secret}, w.phones.phones["A"].done())
			require.Contains(t, st.Run.Answer, "the {{secret}} sale")
			require.NotContains(t, fmt.Sprintf("%+v %+v", st.Steps, w.events), secret)
		})
	}
}

// A model may know a password, from a task or a note. Once it is typed where passwords are, it
// stands nowhere.
func TestWhatIsTypedIntoAPasswordFieldIsASecret(t *testing.T) {
	for _, password := range []string{"hunter2-4711", "sunshine", "ab"} {
		var dir string
		bubble(t, func(t *testing.T, w *fixture) {
			dir = w.dir
			w.policy.password, w.phones.phones["A"].asks = password, true
			st := w.wait(w.start("log-in tap").Session.ID)
			require.Equal(t, store.Completed, st.Run.State)
			require.Equal(t, []string{"type " + password + "\n", "tap"}, w.phones.phones["A"].done())
			steps, err := w.store.Steps(w.ctx(), st.Session.ID, 0)
			require.NoError(t, err)
			first := steps[0].Proposal
			require.Equal(t, actions.Type{Text: "{{secret}}\n"}, first.Action)
			for _, said := range []string{first.Thought, first.Explain, first.Summary,
				first.Tries[0].Reply} {
				require.Equal(t, "type {{secret}}", said)
			}
			kept, err := w.store.Secrets.Of(w.ctx(), st.Run.ID)
			require.NoError(t, err)
			require.Empty(t, kept, "nothing of it is left once the run has ended")
		})
		if len(password) > 2 {
			require.Empty(t, found(t, dir, password))
		}
	}
}

func TestWhatIsTypedElsewhereIsNoSecret(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.policy.password = "milk-and-bread"
		st := w.wait(w.start("log-in tap").Session.ID)
		steps, err := w.store.Steps(w.ctx(), st.Session.ID, 0)
		require.NoError(t, err)
		require.Equal(t, actions.Type{Text: "milk-and-bread\n"}, steps[0].Proposal.Action)
	})
}

// It is typed after an approval, too, also by another life of the run.
func TestAPasswordThatWasApprovedIsTyped(t *testing.T) {
	const password = "hunter2-4711"
	var dir string
	bubble(t, func(t *testing.T, w *fixture) {
		dir = w.dir
		w.policy.password, w.phones.phones["A"].asks = password, true
		w.again(func(o *runs.Options) {
			o.NewGate = func(store.Session, store.Run) agentloop.Gate { return consent{} }
		})
		st := w.wait(w.start("log-in").Session.ID)
		require.Equal(t, store.WaitingApproval, st.Run.State)
		require.Empty(t, w.phones.phones["A"].done())
		require.Empty(t, found(t, dir, password))
		st = w.decide(st.Session.ID, yes)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, []string{"type " + password + "\n"}, w.phones.phones["A"].done())
	})
	require.Empty(t, found(t, dir, password))
}
