package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/doctor"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/tty"
)

type doctorCmd struct {
	JSON   bool
	Report string `placeholder:"FILE"`
}

// Run looks at the whole set-up and says how to mend what keeps it from working.
func (c *doctorCmd) Run(ctx context.Context, a *invocation) error {
	a.quiet()
	o := doctor.Options{Lang: a.Lang(),
		Clients: &doctor.Clients{All: clients.All(),
			Machine: clientsHere(a)}}
	var hidden doctor.Private
	if at, _ := config.Path(&a.Options); at != "" {
		hidden.Folders = []string{filepath.Dir(at)}
	}
	if o.Broken = a.Load(); o.Broken == nil {
		c.configured(ctx, a, &o, &hidden)
	}
	r := doctor.Run(ctx, o)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := c.show(a, r)
	if c.Report != "" {
		hidden.Phones = append(hidden.Phones, r.Phones...)
		hidden.URLs = append(hidden.URLs, r.Clients...)
		page := r.Page(a.Lang(), versionLine(), hidden)
		err = errors.Join(err, os.WriteFile(c.Report, []byte(page), 0o600))
	}
	switch {
	case err != nil:
		return err
	case !r.OK:
		return ended(exitError)
	case r.Has(doctor.Warning):
		return ended(exitNotCompleted)
	}
	return nil
}

// configured fills in the subjects by the configuration.
func (c *doctorCmd) configured(
	ctx context.Context, a *invocation, o *doctor.Options, hidden *doctor.Private,
) {
	conf := a.Conf
	adbAt := conf.ADB.Server
	if o.Broken = phonesAndModel(a, o); o.Broken == nil {
		adbAt = o.ADB.Client.Address()
	}
	o.Data = &doctor.Data{Dir: conf.DataDir, Free: files.Free,
		Shared: store.Networked(string(conf.Store.URL)),
		Fresh:  !store.Exists(conf.DataDir, string(conf.Store.URL)),
		Open:   func(ctx context.Context) error { return app.ProbeStore(ctx, &a.Settings) }}
	hidden.Folders = append(hidden.Folders, conf.DataDir, conf.Skills.Dir)
	tokens, err := a.listTokens(ctx)
	o.HTTP = &doctor.HTTP{Addr: conf.HTTP.Addr, Open: httpguard.Loopback(conf.HTTP.Addr),
		Tokens: len(tokens), TokenErr: err}
	here, _, _ := serve.Servers(conf.DataDir)
	for _, s := range here {
		o.HTTP.Servers = append(o.HTTP.Servers, s.URL)
	}
	for _, t := range tokens {
		hidden.Secrets = append(hidden.Secrets, t.Name, t.ID)
	}
	hidden.Secrets = append(hidden.Secrets, string(conf.Model.APIKey), string(conf.Caption.APIKey))
	hidden.Phones = []string{conf.ADB.Serial}
	hidden.URLs = []string{conf.Model.BaseURL, conf.Caption.BaseURL, conf.HTTP.URL,
		string(conf.Store.URL), "tcp://" + adbAt, "tcp://" + conf.HTTP.Addr}
}

// phonesAndModel fills in the parts without which no task can be done. The error is of what says
// where the ADB server is.
func phonesAndModel(a *invocation, o *doctor.Options) error {
	o.Model = modelToAsk(a)
	server, err := app.NewServer(&a.Settings)
	if err != nil {
		return err
	}
	phones, err := app.NewHost(&a.Settings, nil)
	if err == nil {
		o.ADB = &doctor.ADB{Client: server, Binary: a.Conf.ADB.Path, Serial: a.Conf.ADB.Serial,
			Phones: phones}
	}
	return err
}

// modelToAsk is the model of the configuration, asked once.
func modelToAsk(a *invocation) *doctor.Model {
	m := a.Conf.Model
	asked := &doctor.Model{Name: m.Name, BaseURL: m.BaseURL, Dialect: m.Dialect,
		Table: families.Known, Replayed: m.Replay != ""}
	if name := m.APIKeyEnv; m.APIKey == "" && name != "" {
		asked.Unset = name
	}
	prompt, err := app.NewModels(&a.Settings).Prompting()
	asked.Prompt = prompt
	asked.Open = func() (policy.Completer, func() error, error) {
		if err != nil {
			return nil, nil, err
		}
		m.Retries, m.Record, m.ReplayOrModel = 0, "", ""
		return app.NewModels(&a.Settings).Open(m)
	}
	return asked
}

// show prints the findings.
func (c *doctorCmd) show(a *invocation, r doctor.Report) error {
	if c.JSON {
		return printJSON(a.out, r)
	}
	paint := tty.NewPainter(a.out, a.Options.Environ)
	for _, f := range r.Findings {
		f.Print(a.out, paint, a.Lang())
	}
	return nil
}
