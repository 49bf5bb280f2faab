package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/decider"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/text"
)

// deciders are the models that may decide in a person's place: the configured one, and every
// profile. A setting that names another one is refused. They are closed with p.
func (ms *Models) deciders(p *Policies) (map[channel.Mode]asking.Decider, error) {
	all := map[channel.Mode]asking.Decider{}
	open := func(as channel.Mode, name string, m config.Model) error {
		client, err := model.New(ms.deciding(m, p.transport))
		if err != nil {
			return err
		}
		before := p.close
		p.close = func() error { client.Close(); return before() }
		all[as], err = decider.New(&decider.Options{Model: client, Name: name, Lang: m.Lang,
			NoPicture:   ms.set.Conf.Privacy == "captions",
			PromptPrice: m.PromptPrice, ReplyPrice: m.ReplyPrice})
		return err
	}
	if err := open(channel.Model, ms.set.Conf.Model.Name, ms.set.Conf.Model); err != nil {
		return nil, err
	}
	for name := range ms.set.Conf.Models {
		m, err := ms.set.Conf.ModelOf(name)
		if err == nil {
			err = open(channel.OfModel(name), name, m)
		}
		if err != nil {
			return nil, fmt.Errorf("models.%s: %w", name, err)
		}
	}
	return all, ms.checkDeciders(all)
}

// checkDeciders returns an error if a setting names an unknown deciding model.
func (ms *Models) checkDeciders(all map[channel.Mode]asking.Decider) error {
	mode := channel.Mode(ms.set.Conf.Reply.Mode)
	steps, err := mode.Steps()
	if err != nil {
		return Usage(fmt.Errorf("reply.mode: %w", err), "")
	}
	named := []struct{ key, name string }{{"questions.on_timeout", ms.set.Conf.Questions.OnTimeout},
		{"questions.on_refusal", ms.set.Conf.Questions.OnRefusal},
		{"questions.draft", ms.set.Conf.Questions.Draft}}
	for _, s := range steps {
		named = append(named, struct{ key, name string }{"reply.mode", s.Name})
	}
	for _, n := range named {
		if c := channel.Mode(n.name); c.IsModel() && all[c] == nil {
			names := text.Each(slices.Sorted(maps.Keys(all)),
				func(d channel.Mode) string { return string(d) })
			return Usage(fmt.Errorf("%s names the deciding model %q, and there is none", n.key,
				n.name), "use "+strings.Join(names, " or ")+", or add it under models")
		}
	}
	return nil
}
