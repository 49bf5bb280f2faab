package stage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/play"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/internal/web"
)

// scene is one attempt's own parts of the program, with its cassette.
type scene struct {
	stage    *Stage
	at       play.Attempt
	parts    *app.Parts
	phone    *device.Phone
	folder   string // of files while the attempt runs
	cassette string // that is replayed or recorded, in folder
	runs     []string
	told     atomic.Pointer[string] // the latest report
}

// open implements play.Options.Open.
func (s *Stage) open(ctx context.Context, at play.Attempt) (_ *play.Scene, err error) {
	x := &scene{stage: s, at: at}
	if x.folder, err = os.MkdirTemp(s.temp, "attempt-"); err != nil {
		return nil, err
	}
	more, err := x.cassettes()
	if err != nil {
		return nil, err
	}
	set, err := s.at(ctx, at.Serial, more)
	if err != nil {
		return nil, &suite.Trouble{Kind: suite.KindSuite, Err: err}
	}
	// the attempt outlives ctx: it is stopped and torn down
	living := context.WithoutCancel(ctx)
	told := func(report string) { x.told.Store(&report) }
	if x.parts, err = app.Open(living, set, app.Options{Told: told, Phones: s.db}); err != nil {
		return nil, &suite.Trouble{Kind: suite.KindSuite, Err: err}
	}
	if x.phone, err = x.parts.Host.Open(ctx, at.Serial); err != nil {
		return nil, errors.Join(err, x.parts.Close())
	}
	price := set.Conf.Model
	return &play.Scene{Cases: x.parts.Cases, Phone: x.phone, Admin: x.phone.Admin(),
		Judge: x.judge, Plain: x.plain, Healed: x.healed, Unfit: model.Unfit,
		Files: x.files, Began: x.began, Close: x.close, StepAt: x.stepAt,
		Kept: x.parts.Store.Trajectory,
		Told: func() string { return *cmp.Or(x.told.Load(), new(string)) },
		Cost: func(sent, got int) float64 {
			return (price.PromptPrice*float64(sent) + price.ReplyPrice*float64(got)) / 1e6
		}}, nil
}

// at returns the settings with more, for a phone that may be another machine's: what is said to its
// ADB server goes through that machine, wherever that is by now.
func (s *Stage) at(ctx context.Context, serial string, more map[string]any) (*app.Settings, error) {
	is := func(p runs.PhoneInfo) bool { return p.Serial == serial }
	if s.pool[slices.IndexFunc(s.pool, is)].Worker == "" {
		return s.set.With(more)
	}
	now, err := s.farm.List(ctx)
	if err != nil {
		return nil, err
	}
	url := ""
	if n := slices.IndexFunc(now, is); n >= 0 { // not by an address, which others may have too
		url, more["farm.name"] = now[n].WorkerURL, now[n].Worker
	}
	set, err := s.set.With(more)
	if err != nil {
		return nil, err
	}
	set.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		if url == "" {
			return nil, fmt.Errorf("%w: no machine has phone %s now", adb.ErrNoServer, serial)
		}
		c, err := web.Borrow(ctx, url, serial, s.db.Owner.ID, s.farm.Sign)
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", adb.ErrNoServer, err)
		}
		return c, nil
	}
	return set, nil
}

// cassettes are the settings of the attempt's recording. What is replayed is a copy: what a replay
// writes beside it does not come into the suite's folder.
func (x *scene) cassettes() (map[string]any, error) {
	more := map[string]any{}
	x.cassette = filepath.Join(x.folder, "cassette.jsonl")
	if x.at.Number == 0 { // a teardown
		return more, nil
	}
	mode, file := x.stage.opts.Mode, x.at.Item.Cassette()
	b, err := files.Recorded(file)
	switch mode {
	case Record:
		if errors.Is(err, fs.ErrNotExist) {
			if err := files.Fillable(filepath.Dir(file)); err != nil {
				return nil, &suite.Trouble{Kind: suite.KindCassette, Err: err}
			}
		} else if err != nil || !model.IsCassette(b) {
			return nil, &suite.Trouble{Kind: suite.KindCassette, Err: hint.Add(
				fmt.Errorf("%s is no cassette, and is not recorded over", file),
				"move it away, or name another file as cassette")}
		}
		more["model.record"] = x.cassette
	case Replay, Heal:
		if err == nil {
			err = os.WriteFile(x.cassette, b, 0o600)
		}
		if err == nil {
			_, err = model.NewReplayer(file, nil)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = hint.Add(fmt.Errorf("there is no cassette %s", file),
				"record it first: taploop test --record")
		}
		if err != nil {
			return nil, &suite.Trouble{Kind: suite.KindCassette, Err: err}
		}
		if mode == Replay {
			more["model.replay"] = x.cassette
			break
		}
		more["model.replay_or_model"] = x.cassette
		more["model.record"] = x.newCassette()
	}
	return more, nil
}

// judge implements play.Scene.Judge, of the screen at rest. On another one than the recorded one
// nothing was judged.
func (x *scene) judge(ctx context.Context, claim string) (
	yes bool, why string, used store.Usage, err error) {
	look, err := agentloop.AtRest(ctx, x.phone, x.stage.set.Conf.Loop.SettleTimeout)
	if err != nil && !errors.Is(err, screen.ErrSecure) {
		return false, "", used, err
	}
	yes, why, used, err = x.parts.Judge.Ask(ctx, claim, look)
	switch d, diverged := errors.AsType[*model.Divergence](err); {
	case err == nil:
	case !diverged:
		err = &suite.Trouble{Kind: suite.KindModel, Err: err}
	case model.Unfit(d.Error()):
		err = &suite.Trouble{Kind: suite.KindCassette, Err: d}
	default:
		err = &suite.Trouble{Err: errors.New(x.plain(d.Error()))}
	}
	return yes, why, used, err
}

// newCassette is the file that a replay writes which asks the model.
func (x *scene) newCassette() string { return filepath.Join(x.folder, "healed.jsonl") }

// began implements play.Scene.Began. No one continues a case that was killed.
func (x *scene) began(run string) {
	x.runs = append(x.runs, run)
	if err := leaveKilled(x.parts.Store, run); err != nil {
		x.stage.opts.Play.View.Note(err.Error())
	}
}

// healed implements play.Scene.Healed.
func (x *scene) healed() bool {
	info, err := os.Stat(x.newCassette())
	return err == nil && info.Size() > 0
}

// plain implements play.Scene.Plain. Both pictures of another screen are among the files of the
// attempt, if these are kept.
func (x *scene) plain(message string) string {
	if x.stage.opts.Dir == "" && strings.Contains(message, x.cassette+".step") {
		message, _, _ = strings.Cut(message, "; recorded: ")
	}
	return strings.NewReplacer(x.cassette+".step", "step",
		x.cassette, x.at.Item.Cassette()).Replace(message)
}

// stepAt implements play.Scene.StepAt.
func (x *scene) stepAt(ctx context.Context, session string, by time.Time) (step int) {
	all, _ := x.parts.Store.Steps(ctx, session, 0) // without them the page is shown from its top
	for _, s := range all {
		if !s.Screen.At.After(by) {
			step = s.Index
		}
	}
	return step
}

// files implements play.Scene.Files. What the agent has done has failed where its case has.
func (x *scene) files(ctx context.Context, session, why string, keep play.Keep) error {
	all, err := x.parts.Store.Trajectory(ctx, session)
	if n := len(all.Runs) - 1; n >= 0 && why != "" && all.Runs[n].State == store.Completed {
		all.Runs[n].State, all.Runs[n].StopReason, all.Runs[n].Error = store.Failed, "", why
	}
	var page bytes.Buffer
	if err == nil {
		err = export.Page(ctx, &page, x.parts.Store, all)
	}
	if err == nil {
		err = keep("steps.html", "text/html", page.Bytes())
	}
	if why != "" && err == nil {
		err = keep("replies.txt", "text/plain", replies(all))
	}
	pictures, _ := filepath.Glob(x.cassette + ".step*.png")
	for _, file := range pictures {
		b, failed := os.ReadFile(file)
		if failed == nil {
			name := strings.TrimPrefix(filepath.Base(file), filepath.Base(x.cassette)+".")
			failed = keep(name, "image/png", b)
		}
		err = errors.Join(err, failed)
	}
	return err
}

// replies is what the model wrote, step by step.
func replies(all store.Trajectory) []byte {
	var b bytes.Buffer
	for _, st := range all.Steps {
		for n, t := range st.Proposal.Tries {
			fmt.Fprintf(&b, "--- step %d, reply %d, by %s\n%s\n", st.Index, n+1, t.Model, t.Reply)
			if t.Error != "" {
				fmt.Fprintf(&b, "(%s)\n", t.Error)
			}
		}
	}
	return b.Bytes()
}

// close implements play.Scene.Close. It keeps what was recorded.
func (x *scene) close(passed bool) error {
	for _, run := range x.runs {
		x.parts.Store.Owner.TakeEnd(run)
	}
	err := x.parts.Close()
	from, to := "", ""
	switch mode := x.stage.opts.Mode; {
	case mode == Record && passed && x.at.Number > 0:
		from, to = x.cassette, x.at.Item.Cassette()
	case mode == Heal && passed && x.healed() && x.at.Number > 0:
		from = x.newCassette()
		to = filepath.Join(x.stage.opts.Dir, "healed", x.stage.below(x.at.Item))
	}
	if from == "" {
		return errors.Join(err, os.RemoveAll(x.folder))
	}
	b, failed := os.ReadFile(from)
	if failed == nil {
		failed = files.Replace(to, "", x.stage.opts.Play.Mask.Bytes(b))
	}
	return errors.Join(err, failed, os.RemoveAll(x.folder))
}

// below is the cassette of an item from the folder that has those of all items.
func (s *Stage) below(item *suite.Item) string {
	file, _ := filepath.Abs(item.Cassette()) // the folder was found before
	dir := filepath.Dir(file)
	for _, i := range s.items {
		other, _ := filepath.Abs(i.Cassette())
		for up := filepath.Dir(dir); up != dir && !strings.HasPrefix(other,
			dir+string(filepath.Separator)); up = filepath.Dir(dir) {
			dir = up
		}
	}
	rest, _ := filepath.Rel(dir, file)
	return rest
}

// comeBack is how long a phone gets to come back that was lost.
const comeBack = 8 * time.Second

// usable implements play.Options.Usable: it waits a moment for a phone that was lost.
func (s *Stage) usable(ctx context.Context, serial string) error {
	ctx, cancel := context.WithTimeout(ctx, comeBack)
	defer cancel()
	set, err := s.at(ctx, serial, map[string]any{})
	host := s.host
	if err == nil && set.Dial != nil {
		host, err = app.NewHost(set, s.db)
	}
	for range 15 { // there is time for the answer to the last one
		if host == nil || wait.For(ctx, comeBack/16) != nil {
			break
		}
		var states map[string]string
		if states, err = host.States(ctx); states[serial] == "device" {
			return nil
		}
	}
	if err != nil {
		return &suite.Trouble{Kind: suite.KindADB, Err: err}
	}
	return device.ErrNoPhone
}

// Run runs the cases. The error is that of closing the stage, which it does.
func (s *Stage) Run(ctx context.Context, items []*suite.Item) ([]suite.Result, error) {
	o := s.opts.Play
	o.Phones, o.Hold, o.Open, o.Usable = s.pool, s.holds.take, s.open, s.usable
	o.Fits = s.fits
	if s.opts.Dir != "" {
		o.Keep = s.keep
	}
	results := play.Run(ctx, items, o)
	return results, s.Close()
}
