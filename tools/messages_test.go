package tools

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var verbs = regexp.MustCompile(`%.`)

func TestEveryLanguageHasEverySentence(t *testing.T) {
	en := reflect.ValueOf(*languages["en"]())
	for name, other := range languages {
		v := reflect.ValueOf(*other())
		for i := range v.NumField() {
			field := v.Type().Field(i).Name
			require.NotEmpty(t, v.Field(i).String(), "%s.%s", name, field)
			require.Equal(t, verbs.FindAllString(en.Field(i).String(), -1),
				verbs.FindAllString(v.Field(i).String(), -1), "%s.%s", name, field)
		}
	}
}
