package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// phoneWork is a task on a phone. It runs the agent loop and parks the loop's questions.
type phoneWork struct {
	opts     *Options
	desk     *asking.Desk
	spawn    func(func()) bool // starts a goroutine, unless the Manager is closed
	settings Settings
	serial   string
	phone    Phone            // nil until Pursue opens it
	policy   agentloop.Policy // nil until Pursue creates it
	verifier agentloop.Verifier
	home     bool         // go to the home screen first
	fresh    bool         // restart the first app that is opened
	left     screen.State // what was in front before that
	handed   bool         // someone has just used the phone

	life          Life
	before        agentloop.Timing  // spent before the loop began
	takenByPerson bool              // a person took the phone over
	parked        *inquiry.Question // that the run waits for
	entered       string            // digits of a secret, see redactingPolicy
}

// Open implements Work.
func (w *phoneWork) Open(ctx context.Context, serial string) (store.Device, error) {
	var err error
	if w.phone, err = w.opts.Phones.Open(ctx, serial); err != nil {
		w.phone = nil
		return store.Device{}, err
	}
	dev := w.phone.Device()
	w.serial = dev.ID
	return dev, nil
}

// Close implements Work.
func (w *phoneWork) Close() {
	if w.phone == nil {
		return
	}
	if err := w.phone.Close(); err != nil {
		w.opts.Log.Warn("closing the phone", "serial", w.serial, "err", err)
	}
	w.phone = nil
}

// Pursue implements Work.
func (w *phoneWork) Pursue(ctx context.Context, l Life) Outcome {
	w.life = l
	end := w.handOver(ctx, w.pursue(ctx))
	end.Begun.Timing.Ready += w.before.Ready
	end.Begun.Timing.Decide += w.before.Decide
	end.Begun.Timing.Model += w.before.Model
	out := Outcome{Ending: *end}
	if w.parked != nil {
		out.Parked = w.parked.ID
	}
	return out
}

// pursue prepares the phone and runs the loop.
func (w *phoneWork) pursue(ctx context.Context) *agentloop.Ending {
	m, run := w.opts, w.life.Run
	if end := w.prepare(ctx); end != nil {
		return unlessStopped(ctx, end)
	}
	// Steps that an earlier life left without an outcome were counted when this life began.
	sess, err := m.Store.Session(ctx, run.SessionID)
	if err != nil {
		return endedInternally(ctx, err)
	}
	secrets, err := m.Store.Secrets.Of(ctx, run.ID)
	if err != nil {
		return endedInternally(ctx, err)
	}
	set, err := settingsOf(run)
	if err != nil {
		return endedInternally(ctx, err)
	}
	limits := m.Limits
	from := run.Progress.From(sess.Steps)
	limits.Steps = run.MaxSteps - (from - set.CallFrom)
	if limits.Steps <= 0 { // the last step asked a question
		return agentloop.OutOfSteps(run.MaxSteps)
	}
	secrets, w.entered = withKey(run.Progress.Pending, run.ID, secrets)
	runner := w.runner(sess, secrets, limits)
	got, _, err := runner.Run(ctx, run.Progress, from)
	w.keepPace(runner.Pace, got.Pace)
	if err != nil && !superseded(err) {
		m.Log.ErrorContext(ctx, "run", "err", err)
	}
	return &got
}

// runner returns the loop of this life. It hides the run's secrets from the model and the gate.
func (w *phoneWork) runner(
	sess store.Session, secrets []store.Secret, limits agentloop.Limits,
) *agentloop.Runner {
	hidden := &kept{list: secrets}
	first := &freshPhone{Phone: w.phone, done: !w.fresh}
	m, run := w.opts, w.life.Run
	runner := &agentloop.Runner{
		Phone: &secretPhone{Phone: first, secrets: hidden, typed: w.secretTyped},
		Policy: &redactingPolicy{Policy: w.policy, secrets: hidden, keep: w.keepSecret,
			run: run.ID, words: textsIn(words.For(m.Lang, run.Task)), entered: w.entered,
			told: m.Told},
		Journal: m.Store.Journal(run),
		Parker:  w, NoQuestions: w.settings.ReplyMode == channel.NoReply,
		ByHand: func(question string) bool {
			return inquiry.Question{Text: question}.AsksForAct()
		},
		Limits: limits, Moving: w.home || w.handed, Left: w.left,
		Background: w.background, Early: m.AskEarly, EarlyAlways: m.AskEarlyAlways,
		ReadAhead: true, Pace: w.pace(),
		Observe: func(e agentloop.Event) {
			if e.Kind == agentloop.Decided {
				first.see(e.Step.Screen.State)
			}
			w.life.Observe(e)
		},
		Log: m.Log,
	}
	if w.verifier != nil {
		runner.Verifier = w.verifier
	}
	if m.NewGate != nil {
		runner.Gate = m.NewGate(sess, run)
	}
	return runner
}

// pace is that of the phone, as earlier runs have seen it.
func (w *phoneWork) pace() (p agentloop.Pace) {
	was, err := w.opts.Store.Kept.Read(paceOf + w.serial)
	if err == nil && was != nil {
		err = json.Unmarshal(was, &p)
	}
	if err != nil { // it is found out again
		w.opts.Log.Warn("reading the pace of a phone", "serial", w.serial, "err", err)
	}
	return p
}

func (w *phoneWork) keepPace(was, now agentloop.Pace) {
	if now == was {
		return
	}
	err := w.opts.Store.Kept.Change(paceOf+w.serial,
		func(json.RawMessage) (json.RawMessage, error) { return json.Marshal(now) })
	if err != nil {
		w.opts.Log.Warn("keeping the pace of a phone", "serial", w.serial, "err", err)
	}
}

const paceOf = "pace of "

// background runs f on a goroutine. A panic in f at most ends the run.
func (w *phoneWork) background(f func()) bool {
	return w.spawn(func() {
		defer func() {
			if p := recover(); p != nil {
				w.opts.Log.Error("panic", "run", w.life.Run.ID, "panic", p,
					"stack", string(debug.Stack()))
			}
		}()
		f()
	})
}

// prepare creates the policy, checks that its model can be asked, and wakes the phone. It returns
// the ending of the run if that fails or ctx ends.
func (w *phoneWork) prepare(ctx context.Context) *agentloop.Ending {
	var err error
	if w.policy == nil {
		if w.policy, err = w.opts.NewPolicy(w.settings); err != nil {
			return agentloop.LostModel(err)
		}
	}
	if w.verifier == nil && w.opts.NewVerifier != nil {
		if w.verifier, err = w.opts.NewVerifier(w.settings); err != nil {
			return endedInternally(ctx, err)
		}
	}
	began := time.Now()
	err = agentloop.Ready(ctx, w.policy)
	w.before.Decide = time.Since(began)
	w.before.Model = w.before.Decide
	if err != nil {
		return agentloop.LostModel(err)
	}
	began = time.Now()
	defer func() { w.before.Ready = time.Since(began) }()
	if w.phone == nil {
		if _, err := w.Open(ctx, w.life.Session.Serial); err != nil {
			return &agentloop.Ending{Reason: agentloop.DeviceDisconnected, Err: err}
		}
	}
	if w.left, err = ready(ctx, w.phone, w.home); err != nil {
		return agentloop.LostPhone(err)
	}
	return nil
}

// handOver parks the question of a takeover if this life ended for one. That is so if a person took
// the phone over. With Options.HandOver it is also so if the screen is locked or forbids capture.
func (w *phoneWork) handOver(ctx context.Context, end *agentloop.Ending) *agentloop.Ending {
	var says func(lang string) string
	cause := agentloop.ErrTakeover
	if w.takenByPerson = errors.Is(context.Cause(ctx), errTakenByPerson); w.takenByPerson {
		cause = errTakenByPerson
	}
	asks := w.opts.HandOver && w.settings.ReplyMode != channel.NoReply
	switch {
	case end.Reason == agentloop.TakeoverNeeded && end.Question == nil:
		says = saysOf(w.takenByPerson)
	case end.Reason == agentloop.ScreenLocked && asks:
		says = func(lang string) string { return textsIn(lang).Locked }
	case end.Reason == agentloop.SecureScreen && asks:
		says = func(lang string) string { return textsIn(lang).Secure }
	}
	if says == nil {
		return end
	}
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	asked, run := w.parked, w.life.Run
	q := agentloop.Question{Kind: agentloop.KindTakeover, Text: says(w.opts.ConsoleLang),
		Task: run.Task,
		Body: &inquiry.Takeover{PeopleOnly: w.takenByPerson, Says: words.Each(says)}}
	if _, err := w.Park(ctx, q); err != nil {
		w.opts.Log.ErrorContext(ctx, "handing the phone over", "err", err)
		end.Reason = agentloop.Failed(err)
		end.Err = fmt.Errorf("the phone could not be handed over: %w", err)
		return end
	}
	if asked != nil {
		w.desk.Withdraw(ctx, asked.ID, cause)
	}
	end.Reason, end.Question = agentloop.TakeoverNeeded, &q
	end.Err = nil
	return end
}

// Park implements agentloop.Parker. It stores the question with its frame.
func (w *phoneWork) Park(
	ctx context.Context, q agentloop.Question,
) (agentloop.StopReason, error) {
	body, err := bodyOf(q)
	if err != nil {
		return "", err
	}
	asked := inquiry.Question{
		SessionID: w.life.Run.SessionID,
		RunID:     w.life.Run.ID,
		Fence:     w.life.Run.Fence,
		Step:      q.Step,
		Kind:      inquiry.Kind(q.Kind),
		Task:      q.Task,
		Text:      q.Text,
		Body:      body,

		Round:     q.Round,
		App:       q.Screen.State.App,
		OnTimeout: body.Silence(w.opts.OnTimeout, w.opts.OnUndecided),
	}
	mode := w.settings.ReplyMode
	if q.Screen.Frame != nil {
		asked.Frame = w.life.Run.FrameID(q.Step) // stored with the step's intent
	}
	if len(body.Offers()) == 0 { // otherwise the answer is one of them
		asked.Secret = asked.AsksForSecret()
		if q.Secret != nil {
			asked.Secret, asked.Public = *q.Secret, !*q.Secret
		}
	}
	if errors.Is(asked.ForModels(), inquiry.ErrForPeople) {
		mode = personalMode(w.settings)
	}
	asked, err = w.desk.Open(ctx, asked, mode)
	if err == nil {
		w.parked = &asked
	}
	_, why := store.WaitingFor(asked.Kind)
	return why, err
}

// keepSecret keeps what the model wrote for a password field until the run ends.
func (w *phoneWork) keepSecret(ctx context.Context, x store.Secret) error {
	return w.opts.Store.Secrets.Keep(ctx, w.life.Run.ID, x)
}

// secretTyped records that the secret was typed. If the record cannot be stored, the secret can be
// typed a second time after a crash.
func (w *phoneWork) secretTyped(ctx context.Context, questionID string) {
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	if err := w.opts.Store.Secrets.Typed(ctx, questionID); err != nil {
		w.opts.Log.ErrorContext(ctx, "a secret was typed", "question", questionID, "err", err)
	}
}
