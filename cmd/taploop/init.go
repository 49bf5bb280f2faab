package main

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/sys/atomicwriter"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/doctor"
	"github.com/taploop/taploop/internal/terminal/firsttime"
	"github.com/taploop/taploop/internal/terminal/tty"
)

type initCmd struct{}

// Run asks for what taploop needs, writes the configuration and tries it.
func (c *initCmd) Run(ctx context.Context, a *invocation) error {
	a.quiet()
	person, end := tty.Person(a.in, a.err)
	defer end()
	if person == nil {
		return app.Usage(errors.New("there is neither a terminal nor piped input"),
			"run taploop init at a terminal, or give one answer a line")
	}
	if _, terminal := tty.Of(a.in); !terminal {
		a.in = bufio.NewReader(a.in) // the demo reads on where the dialogue stops
		person = tty.NewConsole(a.in, a.err)
	}
	path, named := config.Path(&a.Options)
	if named {
		var err error
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
	}
	err := firsttime.Run(ctx, firsttime.Options{Lang: a.Lang(), Lines: person, Out: a.err,
		Machine: initMachine{a, path}})
	if errors.Is(err, firsttime.ErrBroken) {
		a.notef("taploop: %v", err)
		a.try("taploop doctor")
		return ended(exitError)
	}
	return err
}

// initMachine is this machine for the dialogue. path is the configuration file.
type initMachine struct {
	a    *invocation
	path string
}

func (m initMachine) Getenv(name string) string { return m.a.Options.Getenv(name) }

// Phones lists the phones. A configuration that is named and not there yet is like an empty one.
func (m initMachine) Phones(ctx context.Context) (list []firsttime.Phone, err error) {
	s := m.a.Settings
	if _, err := os.Stat(m.path); errors.Is(err, fs.ErrNotExist) {
		s.Options.File = os.DevNull
	}
	if err := s.Load(); err != nil {
		return nil, err
	}
	host, err := app.NewHost(&s, nil)
	if err != nil {
		return nil, err
	}
	phones, err := host.List(ctx)
	for _, p := range phones {
		says := p.State
		if p.Usable() {
			says = strings.TrimSpace(p.Model + " Android " + p.Android)
		}
		list = append(list, firsttime.Phone{Serial: p.Serial, Says: says, Usable: p.Usable()})
	}
	return list, app.PhoneTrouble(err)
}

// Clients lists the clients that have settings here.
func (m initMachine) Clients() (list []firsttime.Client) {
	here := clientsHere(m.a)
	for _, client := range clients.All() {
		if !client.HasFile() {
			continue
		}
		found, err := client.Look(here)
		if !found.File {
			continue
		}
		list = append(list, firsttime.Client{Title: client.Title, Path: found.Path,
			Known: found.Entry, Trouble: err, Add: func() (string, error) {
				server, err := startedServer(m.a)
				if err != nil {
					return "", err
				}
				done, err := client.Install(here, server, false)
				return client.Says(done), err
			}})
	}
	return list
}

func (m initMachine) KeyFile(provider string) string {
	return filepath.Join(filepath.Dir(m.path), "taploop-"+provider+".key")
}

func (m initMachine) WriteKey(c firsttime.Choice) error {
	err := os.MkdirAll(filepath.Dir(c.KeyFile), 0o755)
	return errors.Join(err, atomicwriter.WriteFile(c.KeyFile, []byte(c.Key+"\n"), 0o600))
}

// Plan sets the chosen values in the configuration file. What the file says of another key, or of
// how another model is read, is reset.
func (m initMachine) Plan(c firsttime.Choice) (plan firsttime.Plan, err error) {
	set := map[string]string{"base_url": c.BaseURL, "name": c.Model, "lang": c.Lang}
	reset := map[string]string{"api_key": "", "api_key_env": "", "api_key_file": "",
		"dialect": config.Auto, "coordinates": config.Auto, "image_size": config.Auto}
	for key, value := range map[string]string{"api_key_env": c.KeyEnv, "api_key_file": c.KeyFile} {
		if value != "" {
			set[key] = value
			delete(reset, key)
		}
	}
	edit, err := config.NewEdit(m.path, []string{"model"}, set)
	if err != nil {
		return plan, err
	}
	err = edit.Reset([]string{"model"}, reset)
	if err == nil && c.Serial != "" {
		err = edit.Set([]string{"adb"}, map[string]string{"serial": c.Serial})
	} else if err == nil {
		err = edit.Reset([]string{"adb"}, map[string]string{"serial": ""})
	}
	plan = firsttime.Plan{Path: m.path, New: edit.Before == nil, Write: edit.Write,
		Diff: edit.Diff()}
	if plan.New {
		plan.Diff = string(edit.After)
	}
	return plan, err
}

// Try asks the model and looks at the phones, as taploop doctor does.
func (m initMachine) Try(ctx context.Context, c firsttime.Choice) (t firsttime.Tried, err error) {
	if err := m.a.Load(); err != nil {
		return t, err
	}
	m.a.quiet()
	for _, v := range m.a.Conf.Values() {
		if slices.Contains([]string{"model.base_url", "model.name", "model.lang", "adb.serial"},
			v.Path) && v.Origin != config.ByDefault && v.Origin != m.a.Conf.File {
			m.a.notef(wordsIn(m.a.Lang()).Hides, v.Path, v.Origin)
		}
	}
	o := doctor.Options{Lang: m.a.Lang()}
	o.Broken = phonesAndModel(m.a, &o)
	r := doctor.Run(ctx, o)
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	paint := tty.NewPainter(m.a.err, m.a.Options.Environ)
	for _, f := range r.Findings {
		f.Print(m.a.err, paint, m.a.Lang())
	}
	refused := func(f doctor.Finding) bool { return f.ID == "model.key" }
	return firsttime.Tried{OK: r.OK, KeyRefused: slices.ContainsFunc(r.Findings, refused)}, nil
}

func (m initMachine) Demo(ctx context.Context) error { return new(demoCmd).Run(ctx, m.a) }
