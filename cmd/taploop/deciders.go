package main

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
)

// deciders are the models that may decide in a person's place: the model, and every profile. A
// setting that names another one is refused. They end with p.
func (ms *models) deciders(p *policies) (map[channel.Mode]asking.Decider, error) {
	all := map[channel.Mode]asking.Decider{}
	open := func(as channel.Mode, name string, m config.Model) error {
		client, err := model.New(ms.deciding(m, p.transport))
		if err != nil {
			return err
		}
		before := p.close
		p.close = func() error { client.Close(); return before() }
		all[as], err = decider.New(&decider.Options{Model: client, Name: name, Lang: m.Lang,
			NoPicture:   ms.conf.Privacy == "captions",
			PromptPrice: m.PromptPrice, ReplyPrice: m.ReplyPrice})
		return err
	}
	if err := open(channel.Model, ms.conf.Model.Name, ms.conf.Model); err != nil {
		return nil, err
	}
	for name := range ms.conf.Models {
		m, err := ms.conf.ModelOf(name)
		if err == nil {
			err = open(channel.OfModel(name), name, m)
		}
		if err != nil {
			return nil, fmt.Errorf("models.%s: %w", name, err)
		}
	}
	return all, ms.checkDeciders(all)
}

// checkDeciders refuses a setting that names a deciding model which there is not.
func (ms *models) checkDeciders(all map[channel.Mode]asking.Decider) error {
	mode := channel.Mode(ms.conf.Reply.Mode)
	steps, err := mode.Steps()
	if err != nil {
		return usageError{fmt.Errorf("reply.mode: %w", err)}
	}
	named := []struct{ key, name string }{{"questions.on_timeout", ms.conf.Questions.OnTimeout},
		{"questions.on_refusal", ms.conf.Questions.OnRefusal},
		{"questions.draft", ms.conf.Questions.Draft}}
	for _, s := range steps {
		named = append(named, struct{ key, name string }{"reply.mode", s.Name})
	}
	for _, n := range named {
		if c := channel.Mode(n.name); c.IsModel() && all[c] == nil {
			var names []string
			for _, d := range slices.Sorted(maps.Keys(all)) {
				names = append(names, string(d))
			}
			return usage(fmt.Errorf("%s names the deciding model %q, and there is none", n.key,
				n.name), "use "+strings.Join(names, " or ")+", or add it under models")
		}
	}
	return nil
}
