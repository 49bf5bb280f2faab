package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

type skillCmd struct {
	Make   skillMakeCmd   `cmd:""`
	Run    skillRunCmd    `cmd:""`
	List   skillListCmd   `cmd:""`
	Show   skillShowCmd   `cmd:""`
	Check  skillCheckCmd  `cmd:""`
	Diff   skillDiffCmd   `cmd:""`
	Remove skillRemoveCmd `cmd:""`
}

// skillsFlags say where skills are.
type skillsFlags struct {
	Skills  string `key:"skills.dir" placeholder:"DIR"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

func folderOf(a *invocation) skill.Folder { return skill.Folder(a.Conf.Skills.Dir) }

// loaded is the folder of the skills, with the configuration loaded.
func (f *skillsFlags) loaded(a *invocation) (skill.Folder, error) {
	if err := a.Load(); err != nil {
		return "", err
	}
	return folderOf(a), nil
}

// read is one of the skills in there.
func (f *skillsFlags) read(a *invocation, name string) (skill.Folder, *skill.Skill, error) {
	in, err := f.loaded(a)
	if err != nil {
		return in, nil, err
	}
	s, err := in.Read(name)
	if err != nil {
		err = app.Usage(err, hint.Of(err))
	}
	return in, s, err
}

// paramsOf reads NAME=VALUE.
func paramsOf(list []string) (map[string]string, error) {
	all := map[string]string{}
	for _, p := range list {
		name, value, ok := strings.Cut(p, "=")
		if _, twice := all[name]; !ok || name == "" || twice {
			return nil, app.Usage(fmt.Errorf("--param %s", text.Quote(p, 80)),
				"write --param NAME=VALUE, each name once")
		}
		all[name] = value
	}
	return all, nil
}

type skillMakeCmd struct {
	Session string   `arg:""`
	Name    string   `placeholder:"NAME"`
	Param   []string `placeholder:"NAME=VALUE" sep:"none"`
	skillsFlags
}

// Run makes a skill from a session.
func (c *skillMakeCmd) Run(ctx context.Context, a *invocation) error {
	params, err := paramsOf(c.Param)
	if err != nil {
		return err
	}
	return a.readingSession(ctx, c.Session, func(db *store.Store, x store.Session) error {
		src, err := skill.SourceOf(ctx, db, x.ID)
		if err != nil {
			return err
		}
		c.Name = cmp.Or(c.Name, skill.NameOf(src.Run.Task, "skill"))
		s, notes, err := skill.Make(src, skill.MakeOptions{Name: c.Name, Params: params})
		if err != nil {
			return app.Usage(err, "")
		}
		f := folderOf(a)
		if _, err := f.Read(s.Name); !errors.Is(err, skill.ErrUnknown) {
			return app.Usage(fmt.Errorf("there is a skill %s already", s.Name),
				"use another name, or remove it first: taploop skill remove "+s.Name)
		}
		if s.App.Version, err = versionOf(ctx, a, x.Serial, s.App.Package); err != nil {
			notes = append(notes, fmt.Sprintf("the version of %s is not written down: %v",
				s.App.Package, err))
		}
		if err := f.Write(s); err != nil {
			return err
		}
		for _, n := range notes {
			a.notef("%s", text.Line(n))
		}
		_, err = fmt.Fprintln(a.out, f.Path(s.Name))
		return err
	})
}

// versionOf is the version of an app on a phone that is connected now.
func versionOf(ctx context.Context, a *invocation, serial, pkg string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	host, err := app.NewHost(&a.Settings, nil)
	if err != nil {
		return "", err
	}
	phone, err := host.Open(ctx, serial)
	if err != nil {
		return "", err
	}
	return phone.Version(ctx, pkg)
}

type skillRunCmd struct {
	Name      string   `arg:""`
	Serial    string   `short:"s" key:"adb.serial" placeholder:"SERIAL"`
	Param     []string `placeholder:"NAME=VALUE" sep:"none"`
	Heal      string   `enum:"off,auto,ask" default:"auto"`
	HealWrite bool
	Skills    string `key:"skills.dir" placeholder:"DIR"`
	taskFlags
}

// Run repeats a skill on a phone.
func (c *skillRunCmd) Run(ctx context.Context, a *invocation) error {
	params, err := paramsOf(c.Param)
	if err != nil {
		return err
	}
	if err := a.Load(); err != nil {
		return err
	}
	given, err := json.Marshal(params)
	if err != nil {
		return err
	}
	how, err := c.running()
	if err != nil {
		return err
	}
	r := usecase.RunSkill{Name: c.Name, Params: given, Heal: skill.Heal(c.Heal), Running: how}
	f := folderOf(a)
	session := ""
	err = c.follow(ctx, a, func(d *app.Parts, call *usecase.Call) (*usecase.Outcome, error) {
		r.Device = a.Conf.ADB.Serial
		out, err := d.Cases.RunSkill(ctx, call, r)
		if err == nil {
			session = out.Status.Session.ID
		}
		return out, err
	})
	if session == "" {
		return err
	}
	return app.Closing(err, func() error {
		return a.lend(ctx, nil, func(db *store.Store) error {
			return c.mend(ctx, a, db, f, session)
		})
	})
}

// mend says what was healed, and proposes or writes the change.
func (c *skillRunCmd) mend(ctx context.Context, a *invocation, db *store.Store, f skill.Folder,
	session string) error {
	run, err := db.LatestRun(ctx, session)
	if err != nil {
		return err
	}
	at, _ := skill.PlaceOf(run.Progress)
	a.notef("%s replayed, %d healed", text.Count(at.Replayed, "step"), len(at.Healed))
	for _, h := range at.Healed {
		a.notef("  step %d: %s; %s", h.Step, text.Line(h.Why), text.Line(h.Did))
	}
	if run.StopReason == agentloop.SkillDiverged {
		return a.bothScreens(ctx, db, run)
	}
	proposed, err := f.ProposeHealed(ctx, db, run)
	if err == nil && proposed && c.HealWrite {
		err, proposed = f.Take(c.Name), false
	}
	if errors.Is(err, skill.ErrStale) {
		a.notef("%v", err)
		return nil
	}
	if err != nil || !proposed {
		return err
	}
	a.notef("taploop skill diff %s shows what this would change, and --write takes it", c.Name)
	return nil
}

// bothScreens says where the pictures are of the screen on which a run ended that could not be
// repeated there, and of the one that was recorded.
func (a *invocation) bothScreens(ctx context.Context, db *store.Store, run store.Run) error {
	x, err := db.Session(ctx, run.SessionID)
	if err != nil {
		return err
	}
	steps, err := db.Steps(ctx, run.SessionID, max(x.Steps-1, 0))
	if err != nil || len(steps) == 0 {
		return err
	}
	recorded, err := export.Recorded(ctx, db, x, run)
	if err != nil {
		return err
	}
	w := wordsIn(a.Lang())
	for _, p := range []struct{ says, frame string }{{w.ScreenNow, steps[len(steps)-1].FrameID},
		{w.ScreenRecorded, recorded}} {
		if path, err := db.FramePath(ctx, p.frame); err == nil { // else it is not kept in a file
			a.notef(p.says, path)
		}
	}
	return nil
}

type skillListCmd struct {
	JSON bool
	skillsFlags
}

// Run lists the skills.
func (c *skillListCmd) Run(a *invocation) error {
	f, err := c.loaded(a)
	if err != nil {
		return err
	}
	list, err := f.List()
	if err != nil {
		return err
	}
	return printList(a, c.JSON, list, "there is no skill in "+string(f),
		"NAME STEPS PARAMS DESCRIPTION", func(s skill.Listed) []any {
			return []any{s.Name, s.Steps, cmp.Or(strings.Join(s.Names, ","), "-"),
				text.Cut(cmp.Or(s.Problem, s.Description), 100)}
		})
}

type skillShowCmd struct {
	Name string `arg:""`
	skillsFlags
}

// Run prints a skill.
func (c *skillShowCmd) Run(a *invocation) error {
	_, s, err := c.read(a, c.Name)
	if err != nil {
		return err
	}
	b, err := s.YAML()
	if err == nil {
		_, err = a.out.Write(b)
	}
	return err
}

type skillCheckCmd struct {
	Name []string `arg:"" optional:""`
	skillsFlags
}

// Run checks skills, and says all that is wrong with them.
func (c *skillCheckCmd) Run(ctx context.Context, a *invocation) error {
	f, err := c.loaded(a)
	if err != nil {
		return err
	}
	var errs []error
	if len(c.Name) == 0 {
		names, unread, err := f.Files()
		if err != nil {
			return err
		}
		c.Name, errs = names, append(errs, unread.Err())
	}
	err = a.reading(ctx, func(db *store.Store) error {
		for _, name := range c.Name {
			s, err := f.Read(name)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			seen, wrong, err := s.Ambiguous(ctx, db)
			if seen == 0 && err == nil {
				a.notef("%s: the screens that it was recorded on are not kept here", name)
			}
			errs = append(append(errs, err), wrong...)
		}
		return nil
	})
	if err := cmp.Or(err, errors.Join(errs...)); err != nil {
		return app.Usage(err, "")
	}
	a.notef("as it should be: %s", text.Count(len(c.Name), "skill"))
	return nil
}

type skillDiffCmd struct {
	Name  string `arg:""`
	Write bool
	skillsFlags
}

// Run shows or takes the proposed changes of a skill.
func (c *skillDiffCmd) Run(ctx context.Context, a *invocation) error {
	f, before, err := c.read(a, c.Name)
	if err != nil {
		return err
	}
	after, err := f.Proposed(c.Name)
	if after == nil && err == nil { // the run was followed by somebody else than skill run
		err = a.lend(ctx, &store.Options{Reading: true}, func(db *store.Store) error {
			return f.ProposeLatest(ctx, db, c.Name)
		})
		if err == nil {
			after, err = f.Proposed(c.Name)
		}
	}
	if err != nil {
		return err
	}
	if after == nil {
		a.notef("nothing is proposed for %s", c.Name)
		return nil
	}
	b, err := before.YAML()
	x, failed := after.YAML()
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	fmt.Fprint(a.out, text.Diff(f.Path(c.Name), "proposed", string(b), string(x)))
	if c.Write {
		return f.Take(c.Name)
	}
	return nil
}

type skillRemoveCmd struct {
	Name string `arg:""`
	skillsFlags
}

// Run removes a skill.
func (c *skillRemoveCmd) Run(a *invocation) error {
	f, err := c.loaded(a)
	if err != nil {
		return err
	}
	if err := f.Remove(c.Name); err != nil {
		return app.Usage(err, hint.Of(err))
	}
	return nil
}
