package agents

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoWordIsMissingInALanguage(t *testing.T) {
	require.Len(t, languages(), 2)
	for lang, w := range languages() {
		for i := range reflect.TypeFor[words]().NumField() {
			require.NotEmpty(t, reflect.ValueOf(w).Elem().Field(i).String(), "%s %d", lang, i)
		}
	}
}
