package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
