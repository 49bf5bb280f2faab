package gelab_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/gelab"
)

var variants = []dialecttest.Suite{
	{Name: "gelab-plain", New: gelab.NewPlain, Wrote: gelab.Wrote, Write: gelab.WritePlain},
	{Name: "gelab-adv", New: gelab.NewAdv, Wrote: gelab.Wrote, Write: gelab.WriteAdv},
	{Name: "gelab-key-process", New: gelab.NewKeyProcess, Wrote: gelab.Wrote,
		Write: gelab.WriteKeyProcess},
}

func TestEveryVariantHasItsPromptAndItsReplies(t *testing.T) {
	for _, s := range variants {
		t.Run(s.Name, func(t *testing.T) {
			s.Prompts(t)
			s.Replies(t)
			s.Vocabulary(t)
		})
	}
}

// The form that a variant is asked for is read as it, and asked for again after another one.
func TestTheFormOfEveryVariantIsReadAndAskedForAgain(t *testing.T) {
	for _, s := range variants {
		for _, lang := range []string{"en", "zh"} {
			d := s.New(dialect.Options{Lang: lang, Quality: 50})
			now := dialect.Situation{Task: "t", Screen: dialecttest.Observation(t)}
			again := d.Repair(actions.Reply{Text: "It is done."}, dialect.Refuse("prose", "fields"))
			form := again[len(again)-1].Parts[0].Text
			_, example, _ := strings.Cut(form, map[string]string{"en": "For example:\n",
				"zh": "例如：\n"}[lang])
			got, err := d.Parse(actions.Reply{Text: example}, now)
			require.NoError(t, err)
			require.Equal(t, "CLICK", got.Action.Verb())
			require.Equal(t, s.Name != "gelab-plain", got.Thought != "")
			require.Equal(t, s.Name == "gelab-adv", got.Note != "")
			require.NotEmpty(t, got.Summary)
		}
	}
}
