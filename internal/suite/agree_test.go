package suite_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/suite"
)

// values are what each key of a suite is given in the place of its own value.
var oddValues = []string{`""`, `" "`, `"0s"`, `"1d"`, `".5s"`, `"1h30m"`, `"+5s"`, `"5.s"`, `0`, `-1`,
	`1.5`, `2.0`, `1e9`, `1e30`, `true`, `false`, `null`, `[]`, `[""]`, `["a"]`, `{}`, `{"a": 1}`,
	`{"a": null}`, `"5"`, `"true"`, `"any"`, `"none"`, `"/a"`, `"/"`, `"content://"`, `"/ "`,
	`"9999999h"`, `"off"`, `"wait_boot"`, `[{}]`, `[{"x": 1}]`, `"approve"`, `"reject"`, `"edit"`,
	without}

// without takes the key away, and an item's whole place in a list is empty without it.
const without = ""

// beyondForm are the refusals that a schema of the form cannot have, by what they need to know.
var beyondForm = regexp.MustCompile(strings.Join([]string{
	"is no regular expression|is no pattern|is no name of an environment", // a grammar
	"four fractions of the screen|is too long$",                           // arithmetic
	"is neither a variable|is a variable and|the environment variable",    // what is known
	"reply: it is empty",                       // what a variable holds
	"unknown action|edited_action:|args: want", // the actions
	"no case .* in this suite|need each other|this names a suite|every row wants", // the other cases
	"of the suite's folder|has no file|like: ",                                    // the folder's files
	"a row is empty|no skill |skill: ",                                            // other files
}, "|"))

// spots are the places in a tree, each as a function that puts a value there and returns the tree.
func spots(tree any, put func(any)) (all []func(v any) (undo func())) {
	if put != nil {
		all = append(all, func(v any) func() { put(v); return func() { put(tree) } })
	}
	switch x := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			all = append(all, spots(x[key], func(v any) {
				if x[key] = v; reflect.DeepEqual(v, json.RawMessage(without)) {
					delete(x, key)
				}
			})...)
		}
	case []any:
		for n := range x {
			all = append(all, spots(x[n], func(v any) {
				if x[n] = v; reflect.DeepEqual(v, json.RawMessage(without)) {
					x[n] = nil
				}
			})...)
		}
	}
	return all
}

// smallSuites are suites that have one thing each of a whole one's, beside what every suite has.
func smallSuites(t *testing.T) (all []map[string]any) {
	t.Helper()
	var tree map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(whole), &tree))
	one := func(key string, value any) map[string]any {
		base := map[string]any{"name": "a", "task": "t", "expect": "none"}
		base[key] = value
		return map[string]any{"vars": tree["vars"], "secrets": tree["secrets"],
			"cases": []any{base}}
	}
	file := map[string]any{"path": "/a", "absent": true, "contains": "x"}
	for _, c := range []map[string]any{
		{"task": "t", "params": map[string]any{"a": 1}, "expect": "none"},
		{"skill": "s", "params": map[string]any{"a": "b"}, "expect": "none"},
		{"task": "t", "expect": []any{map[string]any{"file": file}}},
	} {
		c["name"] = "a"
		all = append(all, map[string]any{"cases": []any{c}})
	}
	for key, value := range tree {
		small := one("name", "a")
		if small[key] = value; key != "cases" {
			all = append(all, small)
		}
	}
	for _, c := range tree["cases"].([]any) {
		for key, value := range c.(map[string]any) {
			list, is := value.([]any)
			if !is || key == "with" {
				all = append(all, one(key, value))
				continue
			}
			for _, item := range list {
				all = append(all, one(key, []any{item}))
			}
		}
	}
	return all
}

// What an editor takes by the schema is read, and what is read an editor takes, but for what a
// form cannot say.
func TestTheSchemaAndTheReaderAgree(t *testing.T) {
	dir := t.TempDir()
	for name, b := range map[string][]byte{"shop.apk": []byte("PK"), "a.png": png1} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "skills"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "skills", "s.yaml"), []byte("name: s\n"+
		"description: d\ntask: t\nparams: {type: object, properties: {a: {type: string}}}\n"+
		"steps: [{say: go, action: {verb: HOME}}]\nends: {}\n"), 0o600))
	schema, file := compiled(t), filepath.Join(dir, "s.yaml")
	wrong, tried := map[string]bool{}, map[string]bool{}
	for _, tree := range smallSuites(t) {
		for _, put := range spots(tree, nil) {
			for _, value := range oddValues {
				undo := put(json.RawMessage(value))
				b, err := json.Marshal(tree)
				require.NoError(t, err)
				if undo(); tried[string(b)] {
					continue
				}
				tried[string(b)] = true
				_, refused := suite.Parsed(file, b, suite.Options{Getenv: pins})
				v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
				require.NoError(t, err)
				unfit := schema.Validate(v)
				if (refused == nil) != (unfit == nil) &&
					(refused == nil || !beyondForm.MatchString(refused.Error())) {
					wrong[fmt.Sprintf("%s\n in %s\n is read: %v\n fits: %v", value, b, refused,
						unfit)] = true
				}
			}
		}
	}
	require.Greater(t, len(tried), 2000)
	require.Empty(t, slices.Sorted(maps.Keys(wrong)))
}
