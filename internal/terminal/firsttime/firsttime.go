// Package firsttime is the dialogue of the first time: it asks for the model, its key, the language
// and the phone, writes the configuration, tries it, and offers the demo. It reads and changes the
// machine only through a Machine.
package firsttime

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Choice is what was chosen. Empty values are left to the defaults.
type Choice struct {
	BaseURL, Model, Lang string
	Serial               string // the phone, "" means any
	KeyEnv, KeyFile      string // at most one of them
	Key                  model.Secret
}

// Phone is a phone that the ADB server has.
type Phone struct {
	Serial, Says string
	Usable       bool
}

// Client is an MCP client with settings on this machine.
type Client struct {
	Title, Path string
	Known       bool                   // it has an entry of taploop
	Trouble     error                  // its settings cannot be read
	Add         func() (string, error) // returns what it did
}

// Plan is a change of the configuration file that is not written yet.
type Plan struct {
	Path  string
	New   bool   // there is no such file yet
	Diff  string // "" if nothing changes; without keys
	Write func() error
}

// Tried is what a trial of the configuration has shown.
type Tried struct{ OK, KeyRefused bool }

// machine is what the dialogue reads and changes.
type machine interface {
	Getenv(name string) string
	Phones(ctx context.Context) ([]Phone, error)
	Clients() []Client
	// KeyFile returns the path for the key of the provider.
	KeyFile(provider string) string
	Plan(c Choice) (Plan, error)
	// WriteKey writes the key into the file of the choice, readable by this user only.
	WriteKey(c Choice) error
	// Try tries the written configuration and shows what it found.
	Try(ctx context.Context, c Choice) (Tried, error)
	Demo(ctx context.Context) error
}

// Options say who is asked, and where the rest is shown.
type Options struct {
	Lang    string
	Lines   terminal.Lines
	Out     io.Writer
	Machine machine
}

// ErrBroken says that the configuration was written and does not work yet.
var ErrBroken = errors.New("the configuration was written, and something does not work yet")

// texts are the dialogue's words.
type texts struct {
	Begin, Provider, Local, Other, Address, NoAddress, Near, NoModel string
	KeySet, KeyAsks, KeyAny, NoKey, KeyLater                         string
	Model, ModelBare, Bad, Language                                  string
	Languages                                                        map[string]string
	Phone, AnyPhone, NoPhones, PhonesFailed                          string
	Known, Unread, Client                                            string
	Unchanged, Makes, Changes, Writes, Declined                      string
	Wrote, WroteKey, Tries, KeyAgain, Demo, End, Next                string
	Yes, No, Ended, EndedHint                                        string
}

var textsIn = words.Of[texts]("firsttime")

type dialogue struct {
	Options
	texts
}

// Run holds the dialogue. Nothing is written before the person has agreed to it: when the input
// ends before that, it is an error. Afterwards the end of the input leaves out the rest.
func Run(ctx context.Context, o Options) error {
	d := &dialogue{o, *textsIn(o.Lang)}
	d.tell(d.Begin)
	c, err := d.choose(ctx)
	var clients []Client
	if err == nil {
		clients, err = d.clients(ctx)
	}
	var written bool
	if err == nil {
		written, err = d.write(ctx, c)
	}
	if errors.Is(err, io.EOF) {
		return hint.Add(errors.New(d.Ended), d.EndedHint)
	}
	if err != nil || !written {
		return err
	}
	for _, client := range clients {
		said, err := client.Add()
		if err != nil {
			return err
		}
		d.tell(said)
	}
	return d.after(ctx, c)
}

// choose asks for everything that the configuration file has to say.
func (d *dialogue) choose(ctx context.Context) (c Choice, err error) {
	p, err := d.provider(ctx)
	if err != nil {
		return c, err
	}
	c.BaseURL = p.BaseURL
	if err := d.key(ctx, p, &c); err != nil {
		return c, err
	}
	if c.Model, err = d.model(ctx, p); err != nil {
		return c, err
	}
	langs := append([]string{words.Auto}, words.Languages()...)
	shown := text.Each(langs, func(lang string) string { return lang + "  " + d.Languages[lang] })
	n, err := d.pick(ctx, d.Language, shown, langs)
	if err != nil {
		return c, err
	}
	c.Lang = langs[n]
	c.Serial, err = d.phone(ctx)
	return c, err
}

// write shows the change of the file, and writes it once the person agrees.
func (d *dialogue) write(ctx context.Context, c Choice) (written bool, err error) {
	plan, err := d.Machine.Plan(c)
	if err != nil {
		return false, err
	}
	switch {
	case plan.Diff == "":
		d.say(d.Unchanged, plan.Path)
	case plan.New:
		d.say(d.Makes, plan.Path, plan.Diff)
	default:
		d.say(d.Changes, plan.Path, plan.Diff)
	}
	if plan.Diff != "" || c.Key != "" {
		yes, err := d.yes(ctx, d.Writes, plan.New)
		if err != nil || !yes {
			if err == nil {
				d.tell(d.Declined)
			}
			return false, err
		}
	}
	if c.Key != "" {
		if err := d.Machine.WriteKey(c); err != nil {
			return false, err
		}
		d.say(d.WroteKey, c.KeyFile)
	}
	if plan.Diff != "" {
		if err := plan.Write(); err != nil {
			return false, err
		}
		d.say(d.Wrote, plan.Path)
	}
	return true, nil
}

// after tries what was written, and offers the demo.
func (d *dialogue) after(ctx context.Context, c Choice) error {
	tried, err := d.try(ctx, c)
	if err != nil {
		return err
	}
	demo, err := d.yes(ctx, d.Demo, false)
	if err == nil && demo {
		err = d.Machine.Demo(ctx)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case !tried.OK:
		return ErrBroken
	}
	d.tell(d.End)
	d.tell(d.Next)
	return nil
}

// try tries the configuration, with another key for as long as the endpoint refuses the one that
// was typed and another one is typed.
func (d *dialogue) try(ctx context.Context, c Choice) (Tried, error) {
	for {
		d.tell(d.Tries)
		tried, err := d.Machine.Try(ctx, c)
		if err != nil || !tried.KeyRefused || c.KeyFile == "" {
			return tried, err
		}
		c.Key, err = d.secret(ctx, d.KeyAgain)
		if errors.Is(err, io.EOF) || err == nil && c.Key == "" {
			return tried, nil
		}
		if err == nil {
			err = d.Machine.WriteKey(c)
		}
		if err != nil {
			return tried, err
		}
	}
}

func (d *dialogue) say(format string, args ...any) {
	fmt.Fprintf(d.Out, format+"\n", args...)
}

func (d *dialogue) tell(line string) { d.say("%s", line) }
