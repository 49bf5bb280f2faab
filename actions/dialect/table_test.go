package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
)

// named is a dialect of which only the profile is asked.
type named struct {
	dialect.Dialect
	profile dialect.Profile
}

func (n named) Profile() dialect.Profile { return n.profile }

func family(name, speaks string) dialect.Family {
	return dialect.Family{
		Name:   name,
		Speaks: func(model string) bool { return strings.HasPrefix(model, speaks) },
		New: func(o dialect.Options) dialect.Dialect {
			return named{profile: dialect.Profile{Name: name, Lang: o.Lang}}
		},
	}
}

func TestAutoTakesTheFirstRowThatSpeaksTheModel(t *testing.T) {
	table := dialect.Table{family("tars", "ui-tars"), family("any", "")}
	for model, want := range map[string]string{"ui-tars-7b": "tars", "gelab": "any", "": "any"} {
		d, err := table.New(dialect.Auto, &dialect.Options{Model: model, Lang: "en_GB"})
		require.NoError(t, err)
		require.Equal(t, dialect.Profile{Name: want, Lang: "en"}, d.Profile(), model)
	}
	d, err := table.New("tars", &dialect.Options{Model: "gelab"})
	require.NoError(t, err)
	require.Equal(t, "tars", d.Profile().Name, "a name wins over the model's")
	require.Equal(t, []string{"any", "auto", "tars"}, table.Names())
}

// A dialect is its row's: no two of a name, and one that speaks every model comes last.
func TestTheKnownFamiliesAreToldApart(t *testing.T) {
	names := map[string]bool{dialect.Auto: true}
	for i, f := range families.Known {
		require.False(t, names[f.Name], "%s is there twice", f.Name)
		names[f.Name] = true
		for _, lang := range []string{"zh", "en"} {
			profile := f.New(dialect.Options{Lang: lang, Quality: 85}).Profile()
			require.Equal(t, f.Name, profile.Name)
			require.Equal(t, lang, profile.Lang)
			require.LessOrEqual(t, profile.Pictures, profile.Turns)
		}
		require.Equal(t, i == len(families.Known)-1, f.Speaks("a model that nobody knows"), f.Name)
	}
}

// loud is a dialect whose replies are LOUD: and a verb.
type loud struct{ named }

func (loud) Parse(r actions.Reply, _ dialect.Situation) (actions.Decision, error) {
	switch r.Text {
	case "LOUD: back":
		return actions.Decision{Action: actions.Back{}}, nil
	case "LOUD: home":
		return actions.Decision{Action: actions.Home{}}, nil
	}
	return actions.Decision{}, &dialect.ParseError{Problem: "not loud", Want: "LOUD: back"}
}

func wroteLoud(r actions.Reply) bool { return strings.HasPrefix(r.Text, "LOUD:") }

// A reply in another form is read in that form; one in the dialect's own form, which it could not
// read, is not looked at in others, and prose is nothing in any.
func TestAReplyInAnotherDialectIsRead(t *testing.T) {
	var given dialect.Options
	table := append(dialect.Table{{Name: "loud", Wrote: wroteLoud,
		Speaks: func(string) bool { return false },
		New: func(o dialect.Options) dialect.Dialect {
			given = o
			return loud{}
		}}}, families.Known...)
	d, err := table.New("gelab", &dialect.Options{Lang: "en"})
	require.NoError(t, err)
	detector := d.(dialect.Detector)
	got, name := detector.Detect(actions.Reply{Text: "LOUD: home"}, dialect.Situation{})
	require.Equal(t, "loud", name)
	require.Equal(t, actions.Home{}, got.Action)
	require.Equal(t, d.Profile().Fit, *given.Fit, "the picture is the one that was sent")
	require.Nil(t, given.Coordinates)
	for _, text := range []string{"", "It is done.", "LOUD: sing",
		"explain:e\taction:DANCE\tvalue:LOUD: home", "<THINK> LOUD: home </THINK> hm"} {
		got, name := detector.Detect(actions.Reply{Text: text}, dialect.Situation{})
		require.Empty(t, name, text)
		require.Nil(t, got.Action)
	}
	d, err = table.New("loud", nil)
	require.NoError(t, err)
	got, name = d.(dialect.Detector).Detect(actions.Reply{Text: "explain:e\taction:HOME"},
		dialect.Situation{})
	require.Equal(t, "gelab", name)
	require.Equal(t, actions.Home{}, got.Action)
}
