package firsttime

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/text"
)

// provider asks who serves the model.
func (d *dialogue) provider(ctx context.Context) (provider, error) {
	all, err := readProviders()
	if err != nil {
		return provider{}, err
	}
	var shown, names []string
	for _, p := range all {
		title := p.Title
		if p.Local {
			title += d.Local
		}
		shown, names = append(shown, title+"  "+p.BaseURL), append(names, p.Name)
	}
	n, err := d.pick(ctx, d.Provider, append(shown, d.Other), append(names, "other"))
	if err != nil {
		return provider{}, err
	}
	if n < len(all) {
		return all[n], nil
	}
	p := provider{Name: "other"}
	for {
		typed, err := d.Lines.Ask(ctx, d.Address, false)
		if err != nil {
			return p, err
		}
		if p.BaseURL, err = endpoint(strings.TrimSpace(typed)); err == nil {
			return p, nil
		}
		d.tell(d.NoAddress)
	}
}

// key asks for the key, unless the environment has it. Nothing typed means no key, or
// that the variable will have it.
func (d *dialogue) key(ctx context.Context, p provider, c *Choice) (err error) {
	prompt := d.KeyAny
	switch {
	case p.Local:
		return nil
	case p.Key != "" && d.Machine.Getenv(p.Key) != "":
		d.say(d.KeySet, p.Key)
		c.KeyEnv = p.Key
		return nil
	case p.Key != "":
		prompt = fmt.Sprintf(d.KeyAsks, p.Key)
	}
	c.Key, err = d.secret(ctx, prompt)
	switch {
	case err != nil:
		return err
	case c.Key != "":
		c.KeyFile = d.Machine.KeyFile(p.Name)
	case p.Key != "":
		c.KeyEnv = p.Key
		d.say(d.KeyLater, p.Key)
	}
	return nil
}

// secret asks for a key, which is not shown.
func (d *dialogue) secret(ctx context.Context, prompt string) (model.Secret, error) {
	for {
		typed, err := d.Lines.Ask(ctx, prompt, true)
		if err != nil {
			return "", err
		}
		key := strings.TrimSpace(typed)
		if strings.IndexFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) < 0 {
			return model.Secret(key), nil
		}
		d.tell(d.NoKey)
	}
}

// model asks for the model: one of the provider's, or another name.
func (d *dialogue) model(ctx context.Context, p provider) (string, error) {
	prompt := d.ModelBare
	if len(p.Models) > 0 {
		d.list(p.Models)
		prompt = d.Model
	}
	for {
		typed, err := d.Lines.Ask(ctx, prompt, false)
		if err != nil {
			return "", err
		}
		typed = strings.TrimSpace(typed)
		n, numbered := strconv.Atoi(typed)
		switch {
		case typed == "" && len(p.Models) > 0:
			return p.Models[0], nil
		case numbered == nil && n > 0 && n <= len(p.Models):
			return p.Models[n-1], nil
		case typed != "" && numbered != nil && strings.IndexFunc(typed, text.Dangerous) < 0:
			return typed, nil
		case typed == "":
			d.tell(d.NoModel)
			continue
		}
		d.say(d.Bad, text.Line(typed))
	}
}

// phone asks which phone is used.
func (d *dialogue) phone(ctx context.Context) (string, error) {
	all, err := d.Machine.Phones(ctx)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		d.say(d.PhonesFailed, text.Line(err.Error()))
		return "", nil
	case len(all) == 0:
		d.tell(d.NoPhones)
		return "", nil
	}
	shown, serials := []string{d.AnyPhone}, []string{""}
	for _, p := range all {
		shown = append(shown, text.Line(p.Serial+"  "+p.Says))
		serials = append(serials, p.Serial)
	}
	n, err := d.pick(ctx, d.Phone, shown, serials)
	if err != nil {
		return "", err
	}
	return serials[n], nil
}

// clients asks which of the clients are told of taploop.
func (d *dialogue) clients(ctx context.Context) (wanted []Client, err error) {
	for _, c := range d.Machine.Clients() {
		switch {
		case c.Trouble != nil:
			d.say(d.Unread, c.Title, text.Line(c.Trouble.Error()))
			continue
		case c.Known:
			d.say(d.Known, c.Title)
			continue
		}
		yes, err := d.yes(ctx, fmt.Sprintf(d.Client, c.Title, text.Line(c.Path)), false)
		if err != nil {
			return nil, err
		}
		if yes {
			wanted = append(wanted, c)
		}
	}
	return wanted, nil
}

func (d *dialogue) list(options []string) {
	for i, o := range options {
		d.say("%4d  %s", i+1, o)
	}
}

// pick asks for one of the options, by its number or name. Nothing typed means the first one.
func (d *dialogue) pick(ctx context.Context, prompt string, options, names []string) (int, error) {
	d.list(options)
	for {
		typed, err := d.Lines.Ask(ctx, prompt, false)
		if err != nil {
			return 0, err
		}
		typed = strings.TrimSpace(typed)
		if typed == "" {
			return 0, nil
		}
		if n, err := strconv.Atoi(typed); err == nil && n > 0 && n <= len(options) {
			return n - 1, nil
		}
		n := slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, typed) })
		if n >= 0 {
			return n, nil
		}
		n = slices.IndexFunc(names, func(s string) bool {
			most := min(2, utf8.RuneCountInString(typed)/2)
			return levenshtein.ComputeDistance(strings.ToLower(typed), strings.ToLower(s)) <= most
		})
		if n >= 0 {
			d.say(d.Near, text.Line(typed), names[n])
			continue
		}
		d.say(d.Bad, text.Line(typed))
	}
}

// yes asks whether to do something. Nothing typed means the answer given.
func (d *dialogue) yes(ctx context.Context, prompt string, otherwise bool) (bool, error) {
	for {
		typed, err := d.Lines.Ask(ctx, prompt+map[bool]string{true: d.Yes, false: d.No}[otherwise],
			false)
		if err != nil {
			return false, err
		}
		switch typed = strings.ToLower(strings.TrimSpace(typed)); typed {
		case "":
			return otherwise, nil
		case "y", "yes", "是", "好":
			return true, nil
		case "n", "no", "否", "不":
			return false, nil
		}
		d.say(d.Bad, text.Line(typed))
	}
}
