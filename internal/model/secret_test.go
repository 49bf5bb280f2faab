package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/model"
)

func TestASecretMasksItselfWhereverItIsPrinted(t *testing.T) {
	const plain = "hunter2hunter2"
	s := model.Secret(plain)
	o := model.Options{APIKey: s}
	c, err := model.New(&o)
	require.NoError(t, err)
	defer c.Close()

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "% x", "%08s"} {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", &o)
		fmt.Fprintf(&out, verb+"\n", o)
		fmt.Fprintf(&out, verb+"\n", map[model.Secret]model.Secret{s: s})
		fmt.Fprintf(&out, verb+"\n", []any{s, &s, struct{ C *model.Client }{c}})
		fmt.Fprintf(&out, verb+"\n", c)
	}
	fmt.Fprintln(&out, s, s.String(), s.GoString(), fmt.Errorf("wrapped %v", s))
	for _, h := range []slog.Handler{
		slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil),
	} {
		slog.New(h).Info("secret", "s", s, "o", o.APIKey, "struct", struct{ Key model.Secret }{s})
	}
	j, err := json.Marshal(struct{ Key model.Secret }{s})
	require.NoError(t, err)
	y, err := yaml.Marshal(struct{ Key model.Secret }{s})
	require.NoError(t, err)
	out.Write(j)
	out.Write(y)

	require.NotContains(t, out.String(), plain)
	require.NotContains(t, out.String(), fmt.Sprintf("%x", plain))
	require.NotContains(t, out.String(), fmt.Sprintf("%X", plain))
	require.NotContains(t, out.String(), fmt.Sprintf("% x", plain))
	require.Equal(t, `{"Key":"[secret]"}`, string(j))
	require.Equal(t, "key: \"[secret]\"\n", string(y))
	require.Equal(t, plain, string(s))
	require.Empty(t, model.Secret("").String(), "that there is no key may be seen")
}

func TestASecretIsReadFromConfiguration(t *testing.T) {
	var v struct{ Key model.Secret }
	require.NoError(t, json.Unmarshal([]byte(`{"Key":"abc"}`), &v))
	require.Equal(t, "abc", string(v.Key))
	require.NoError(t, yaml.Unmarshal([]byte("key: def"), &v))
	require.Equal(t, "def", string(v.Key))
}
