package suite_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/words"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(suite.Schema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("suite.json", doc))
	s, err := c.Compile("suite.json")
	require.NoError(t, err)
	return s
}

// instance is YAML as an editor's schema checker sees it.
func instance(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal(b, &v))
	j, err := json.Marshal(v)
	require.NoError(t, err)
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(j))
	require.NoError(t, err)
	return out
}

// Each file of broken.txtar has one mistake, and says where it is and what is said of it.
func TestABrokenSuiteIsAnErrorWithItsPlace(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/broken.txtar")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(ar.Files), 40)
	schema := compiled(t)
	for _, f := range ar.Files {
		t.Run(f.Name, func(t *testing.T) {
			first, rest, _ := strings.Cut(string(f.Data), "\n")
			want, ok := strings.CutPrefix(first, "# ")
			require.True(t, ok)
			want, byShape := strings.CutPrefix(want, "shape ")
			file := filepath.Join(t.TempDir(), "s.yaml")
			require.NoError(t, os.WriteFile(file, []byte(rest), 0o600))
			clean := strings.NewReplacer(file+":", "", filepath.Dir(file), "DIR")
			_, err := suite.Read(t.Context(), []string{file}, suite.Options{Getenv: pins})
			require.Error(t, err)
			said := verbs.ReplaceAllString(clean.Replace(err.Error()), "(want one of ACTIONS)")
			require.Equal(t, want, said)
			wrong, ok := errors.AsType[keys.Problems](err)
			require.True(t, ok)
			for _, p := range wrong {
				require.Regexp(t, `\p{Han}`, words.Phrase("zh", p.Text))
			}
			if byShape { // an editor sees it, too
				require.Error(t, schema.Validate(instance(t, []byte(rest))))
			}
		})
	}
}

// What is recorded of two suites is in two files, and so is what reports show of them.
func TestSuitesOfOneNameShareNoFiles(t *testing.T) {
	dir := t.TempDir()
	var all []string
	for _, name := range []string{"a/s.yaml", "b/s.yaml", "b/other.yaml"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file,
			[]byte("name: S\ncases: [{name: a, task: t, expect: none}]"), 0o600))
		all = append(all, file)
	}
	items, err := suite.Read(t.Context(), append(all[:2:2], filepath.Join(dir, ".", "a", "s.yaml")),
		suite.Options{})
	require.NoError(t, err)
	require.Len(t, items, 2, "the same file is read once")
	require.NotEqual(t, items[0].Cassette(), items[1].Cassette())
	require.NotEqual(t, items[0].Folder(), items[1].Folder())
	_, err = suite.Read(t.Context(), all, suite.Options{})
	wrong, ok := errors.AsType[keys.Problems](err)
	require.True(t, ok)
	require.Len(t, wrong, 1)
	require.Equal(t, all[2], wrong[0].File)
	require.Regexp(t, `\p{Han}`, words.Phrase("zh", wrong[0].Text))
}

// verbs are the actions that there are.
var verbs = regexp.MustCompile(`\(want one of ABORT, [A-Z_, ]+\)`)

// A suite is read as UTF-8, with the mark of it that some editors write, and not as anything else.
func TestASuiteIsTextInUTF8(t *testing.T) {
	const line = "cases: [{name: a, task: t, expect: none}]"
	items, err := read(t, "s.yaml", "\uFEFF"+line)
	require.NoError(t, err)
	require.Len(t, items, 1)
	for _, wrong := range []string{"# \xe4\n" + line, "# a\x00b\n" + line,
		"\xff\xfec\x00a\x00"} {
		_, err = read(t, "s.yaml", wrong)
		require.ErrorContains(t, err, "s.yaml:1:1: this line is no text in UTF-8")
	}
}

// pins is an environment.
func pins(name string) string { return map[string]string{"SHOP_PIN": "2580"}[name] }

const whole = `name: Shop
tags: [smoke, shop]
app: com.example.shop
secrets: [SHOP_PIN]
phones: {count: 2, labels: ["emulator-*"], api: 33}
vars: {size: M, who: "Anna"}
setup:
- wait_boot
- animations: off
- install: "*.apk"
- clear: com.example.shop
- grant: {app: com.example.shop, permissions: [CAMERA]}
- push: {from: a.png, to: /sdcard/a.png}
- setting: {namespace: system, name: font_scale, value: 1.0}
teardown:
- shell: rm /sdcard/a.png
- wait_boot: 2m
each:
  setup: [{open: "shop://cart/{{size}}"}]
  teardown: [{shell: "echo {{SHOP_PIN}}"}]
budget: {steps: 12, time: 90s, tokens: 20000, cost: 0.5}
cases:
- name: order
  task: Order a shirt in size {{size}} for {{ who }}.
  with:
  - {size: S, who: Tom}
  - {size: L, who: "Wang Wei"}
  replies:
  - {question: "size|colour", reply: "{{size}}", times: any}
  - {question: PIN, reply: "{{SHOP_PIN}}"}
  approvals:
  - match: {action: CLICK, app: com.example.shop, text: "(?i)buy {{who}}"}
    decide: edit
    edited_action: {name: CLICK, args: {at: {x: 0.5, y: 0.5}}}
  - {match: {app: a}, decide: reject, message: No.}
  - {match: {action: AWAKE}, decide: edit, edited_action: {name: AWAKE, args: {app: "{{who}}"}}}
  budget: {steps: 5}
  retries: 1
  cassette: rec/order.jsonl
  expect:
  - app: com.example.shop
  - text: Thanks, {{who}}
    within: 5s
  - no_text: Error
  - element: {id: total, text: "12", desc: d, class: TextView, checked: false, enabled: true,
      count: 1}
  - answer: "(?i)ordered"
  - setting: {namespace: global, name: wifi_on, value: 1}
  - query: {uri: content://sms, projection: [body], where: "address='1'", rows: 1, value: hi}
  - file: {path: /sdcard/a, contains: x}
  - shell: {command: id, output: uid, code: 0}
  - logcat: {tag: Shop, match: paid, absent: true}
  - picture: {region: 0 0 1 0.5, like: a.png, tolerance: 0.1}
  - judged: The order is confirmed.
- name: after
  task: Look at the orders.
  tags: [slow]
  needs: order
  skip: not yet
  expect: none
`

func TestAWholeSuiteIsReadAndFitsItsSchema(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "shop.yaml")
	write := func(name string, b []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	write("shop.yaml", []byte(whole))
	write("shop.apk", []byte("PK"))
	write("a.png", png1)
	items, err := suite.Read(t.Context(), []string{dir}, suite.Options{Getenv: pins})
	require.NoError(t, err)
	require.NoError(t, compiled(t).Validate(instance(t, []byte(whole))))
	require.Len(t, items, 3)
	second := items[1]
	require.Equal(t, "order [size=L, who=Wang Wei]", second.Name)
	require.Equal(t, file+":23:3", second.At().String())
	require.Equal(t, "Order a shirt in size L for Wang Wei.", second.Stages[0].Task)
	require.Equal(t, "shop://cart/L", second.Setup[0].Open)
	require.Equal(t, "echo 2580", second.Teardown[0].Shell)
	require.Equal(t, "L", second.Case.Replies[0].Reply)
	require.True(t, second.Case.Approvals[0].Match.Text.MatchString("Buy Wang Wei a shirt"))
	require.Equal(t, map[string]any{"app": "Wang Wei"}, second.Case.Approvals[2].Edited.Args.Value)
	require.Equal(t, "Thanks, Wang Wei", second.Stages[0].Expect[1].Text)
	require.Equal(t, 5, second.Budget().Steps)
	require.Equal(t, 20000, second.Budget().Tokens)
	require.Equal(t, filepath.Join(dir, "rec/order.2.jsonl"), second.Cassette())
	require.Equal(t, "pin ***", suite.Mask(items).Text("pin 2580"))
	require.Len(t, items[2].Needed(items), 2)
}

func TestASecretThatIsNotSetIsNoEmptyText(t *testing.T) {
	const one = "secrets: [GONE]\ncases: [{name: a, task: t, replies: [{question: '{{GONE}}', " +
		"reply: '{{GONE}}'}], expect: [{text: '{{GONE}}'}]}]"
	_, err := suite.Parsed("s.yaml", []byte(one), suite.Options{Getenv: pins})
	require.EqualError(t, err,
		"s.yaml:1:10: the environment variable GONE, a secret of this suite, is not set")
}

// No message about a suite shows what its secrets are, or those of the others: also where the suite
// cannot be read.
func TestNoMessageShowsASecret(t *testing.T) {
	const head = "secrets: [WORD]\n"
	for _, c := range []struct{ text, want string }{
		{head + "cases: [{name: a, task: t, expect: none, needs: s3cret}]", `there is no case "***"`},
		{head + "s3cret: 1\ncases: [{name: a, task: t, expect: none}]", `unknown key "***"`},
		{head + "cases: [{name: a, task: t, expect: none, retries: s3cret}]", `"***" is no whole number`},
		{head + "cases: [{name: a, task: t, expect: none, needs: s3cret}", "s.yaml:2:8: "},
		{head + "s3cret: 1\ns3cret: 2\ncases: []", `mapping key "***" already defined`},
		{head + "vars: {s3cret: 1}\ncases: [{name: a, task: '{{x}}', expect: none}]", "(there are WORD, ***)"},
		{"secrets: [WORD, s3cret]\ncases: [{name: a, task: t, expect: none}]", "variable ***, a secret"},
		{head + "cases: [{name: a, task: t, with: [{S3Cret: x}], expect: none}]", "WORD cannot be in a row"},
		{"cases: [{name: a, task: t, expect: none, needs: s3cret}]", `there is no case "***"`},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"s.yaml": c.text,
			"z.yaml": head + "cases: [{name: z, task: t, expect: none}]"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		told := ""
		_, err := suite.Read(t.Context(), []string{dir}, suite.Options{
			Getenv: func(name string) string { return map[string]string{"WORD": "s3cret"}[name] },
			Note:   func(p keys.Problem) { told += p.Text }})
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, strings.ToLower(err.Error()+told), "s3cret", c.text)
	}
}

// However true and false are written, they are no reason.
func TestACaseIsLeftOutOrNot(t *testing.T) {
	for skip, want := range map[string]string{"True": "skip: true", "true": "skip: true",
		"False": "", "FALSE": "", `"false"`: "", "false": "", "no phone": "no phone"} {
		items, err := read(t, "s.yaml",
			"cases: [{name: a, task: t, expect: none, skip: "+skip+"}]")
		require.NoError(t, err)
		require.Equal(t, want, string(items[0].Case.Skip), skip)
	}
}

func TestTheSchemaFitsItsFile(t *testing.T) {
	require.True(t, json.Valid(suite.Schema()))
}
