package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/expect"
)

// try is an attempt under way.
type try struct {
	*worker
	at    Attempt
	scene *Scene
	got   suite.Attempt

	opened  bool          // the set-up has opened something
	used    map[int]int   // how often each reply was given
	worked  time.Duration // of the agent: without people and expectations
	spent   store.Usage   // by the parts so far, and by the model that judges
	secret  string        // that was given as a reply, or its placeholder if there were several
	refused bool          // the suite has rejected an action
	healed  int           // steps of a skill for which the model was asked
	facts   expect.Facts
	begun   bool          // the crashes before it are known
	ahead   time.Duration // of the phone's clock
	before  []device.Crash
}

// fail gives the attempt an outcome that is not good. The first one counts, but a crash counts more
// than a failure, or than a set-up for which the app was not there.
func (t *try) fail(o suite.Outcome, kind, format string, args ...any) {
	if t.got.Outcome.Good() || o == suite.Crashed && (t.got.Outcome != suite.SetupFailed ||
		t.got.Kind == suite.KindApp) {
		t.got.Outcome, t.got.Kind, t.got.Message = o, kind, fmt.Sprintf(format, args...)
	}
}

// note notes what went wrong beside the case, if anything did.
func (t *try) note(what string, err error) {
	if err != nil {
		t.got.Notes = append(t.got.Notes, what+err.Error())
	}
}

// broke is fail for trouble with what a case needs.
func (t *try) broke(kind string, err error) {
	x, _ := errors.AsType[*suite.Trouble](trouble(kind, err))
	t.fail(suite.SetupFailed, x.Kind, "%s", hint.Text(err))
}

// Unplayed are the results of items that could not be begun, for that reason or as ctx has ended.
func Unplayed(ctx context.Context, items []*suite.Item, why error, lang string) (
	all []suite.Result) {
	x, _ := errors.AsType[*suite.Trouble](trouble(suite.KindPhone, why))
	for _, i := range items {
		r := suite.NewResult(i)
		switch r.Message = string(i.Case.Skip); {
		case r.Message != "":
		case ctx.Err() != nil:
			r.Message = suite.WordsIn(lang).Play.Interrupted
		default:
			r.Outcome, r.Kind, r.Message = suite.SetupFailed, x.Kind, hint.Text(why)
		}
		r.Mask(suite.Mask(items))
		all = append(all, r)
	}
	return all
}

func (t *try) run(ctx context.Context) {
	var err error
	if t.scene, err = t.opts.Open(ctx, t.at); err != nil {
		t.broke(suite.KindPhone, err)
		return
	}
	if err := t.setUp(ctx); err != nil {
		t.broke(suite.KindSuite, err)
	} else {
		t.play(ctx)
	}
	// what follows is done whatever ended ctx
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidying)
	defer cancel()
	if taken := context.Cause(t.held); taken != nil && !t.got.Outcome.Good() {
		t.got.Outcome = suite.Passed // what failed has failed for this
		t.broke(suite.KindPhone, taken)
	}
	t.crashed(rest)
	t.keep(rest)
	t.tearDown(rest)
	if t.got.Outcome == suite.Passed && (t.healed > 0 || t.scene.Healed()) {
		t.got.Outcome = suite.Healed
		t.got.Message = t.say.Play.Healed
	}
	if err := t.scene.Close(t.got.Outcome.Good()); err != nil {
		t.fail(suite.SetupFailed, suite.KindCassette, "%v", err)
	}
	t.got.Message = t.scene.Plain(t.got.Message)
}

// tearDown does that of the case, unless someone else has the phone now.
func (t *try) tearDown(ctx context.Context) {
	if t.held.Err() != nil {
		return
	}
	if err := lines(ctx, t.scene, t.at.Item.Suite, t.at.Item.Teardown); err != nil {
		t.got.Notes = append(t.got.Notes, "teardown: "+err.Error())
		t.opts.View.Note(t.opts.Mask.Text("teardown of " + t.at.Item.Name + ": " + err.Error()))
	}
	if len(t.at.Item.Teardown) > 0 {
		t.crashed(ctx)
	}
}

// setUp does the suite's set-up if this phone has not had it, and that of each case.
func (t *try) setUp(ctx context.Context) error {
	i := t.at.Item
	first := i.Suite.Setup
	if t.ready[i.Suite] {
		first = opening(first)
	}
	t.ready[i.Suite] = false // a half is torn down, too
	err := lines(ctx, t.scene, i.Suite, first)
	if t.ready[i.Suite] = err == nil; err != nil {
		return err
	}
	if t.before, err = t.crashes(ctx); err != nil { // a phone that has started up can tell them
		return err
	}
	t.begun = true
	if err := lines(ctx, t.scene, i.Suite, i.Setup); err != nil {
		return err
	}
	t.opened = len(opening(i.Suite.Setup))+len(opening(i.Setup)) > 0
	since, ahead, err := t.scene.Admin.Clock(ctx)
	t.ahead, t.facts = ahead, expect.Facts{Screen: t.scene.Phone, Inside: t.scene.Admin,
		Suite: i.Suite, Since: since, Judge: t.judge, Say: t.say}
	return err
}

// crashes are those of the app under test that the phone knows, in their order.
func (t *try) crashes(ctx context.Context) ([]device.Crash, error) {
	if t.at.Item.Suite.App == "" {
		return nil, nil
	}
	all, err := t.scene.Admin.Crashes(ctx)
	return slices.DeleteFunc(all, func(c device.Crash) bool {
		return c.Package != t.at.Item.Suite.App
	}), err
}

// crashed looks for a crash since the attempt began.
func (t *try) crashed(ctx context.Context) {
	if !t.begun || gone(&t.got) {
		return
	}
	now, err := t.crashes(ctx)
	t.note("looking for crashes: ", err)
	n := slices.IndexFunc(now, func(c device.Crash) bool { return !slices.Contains(t.before, c) })
	if n < 0 {
		return
	}
	c, what := now[n], t.say.Play.Crashed
	if strings.HasSuffix(c.Kind, "anr") {
		what = t.say.Play.Hung
	}
	t.fail(suite.Crashed, "", what, c.Package, c.Headline())
	t.got.Trace = c.Trace
	if t.got.Outcome == suite.Crashed && !c.Stamp.IsZero() {
		t.got.Step = t.scene.StepAt(ctx, t.got.Session, c.Stamp.Add(-t.ahead))
	}
}

// judge implements expect.Facts.Judge.
func (t *try) judge(ctx context.Context, claim string) (bool, string, error) {
	yes, why, used, err := t.scene.Judge(ctx, claim)
	t.spent = plus(t.spent, used)
	return yes, why, err
}

// check checks the expectations after a part of the case that went well. One that cannot be asked
// counts where none of the others fails.
func (t *try) check(ctx context.Context, list []suite.Expect) {
	ended := !t.got.Outcome.Good()
	var unasked error // of the first of them
	for n := range list {
		e := &list[n]
		if ended || e.Judged != "" && (unasked != nil || !t.got.Outcome.Good()) {
			t.got.Checks = append(t.got.Checks, expect.Unasked(e, &t.say.Found))
			continue
		}
		c, err := expect.Check(ctx, e, &t.facts)
		if err != nil {
			c.NotAsked = cmp.Or(context.Cause(ctx), err).Error()
			unasked = cmp.Or(unasked,
				fmt.Errorf("%s: %w", fmt.Sprintf(t.say.Play.Checking, c.What), err))
		}
		t.got.Checks = append(t.got.Checks, c)
		switch {
		case ctx.Err() != nil:
			t.fail(suite.Failed, "", "%v", context.Cause(ctx))
		case t.over(t.spent), err != nil, c.OK:
		case t.got.Claimed:
			t.fail(suite.Failed, "", t.say.Play.Claimed, c.What, c.Got)
		default:
			t.fail(suite.Failed, "", t.say.Play.Expected, c.What, c.Got)
		}
	}
	if unasked != nil {
		t.broke(suite.KindSuite, unasked)
	}
}

// ends are the kinds of trouble that runs end with, by their reason.
var ends = map[agentloop.StopReason]string{
	agentloop.ModelError: suite.KindModel, agentloop.ModelOutputInvalid: suite.KindModel,
	agentloop.ModelKeyRefused: suite.KindModel, agentloop.DeviceDisconnected: suite.KindPhone,
	agentloop.DeviceError: suite.KindPhone, agentloop.ScreenLocked: suite.KindPhone,
	agentloop.InternalError: suite.KindSuite, agentloop.StoreUnavailable: suite.KindSuite,
	agentloop.NotStarted: suite.KindSuite,
}
