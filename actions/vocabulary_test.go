package actions_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/words"
)

// The vocabulary is what the source says is an action, found by reading it: a new member cannot be
// forgotten.
func TestVocabularyHoldsEveryMember(t *testing.T) {
	var inSource []string
	for name, methods := range methodsOfSource(t) {
		if methods["with"] {
			inSource = append(inSource, name)
		}
	}
	var listed []string
	verbs := map[string]bool{}
	for _, a := range actions.Vocabulary() {
		listed = append(listed, reflect.TypeOf(a).Name())
		require.Regexp(t, `^[A-Z_]+$`, a.Verb())
		require.False(t, verbs[a.Verb()], "%s is there twice", a.Verb())
		verbs[a.Verb()] = true
	}
	require.NotEmpty(t, inSource)
	require.ElementsMatch(t, inSource, listed)
}

// A golden file for each member: how it is written, worded, given back and carried out, and when it
// is refused.
func TestGolden(t *testing.T) {
	accepted, refused := map[string]bool{}, map[string]bool{}
	golden.Run(t, golden.Shared(t, "actions"), func(t *testing.T, c *golden.Case) {
		require.NotEmpty(t, c.Comment, "say the rule")
		var b strings.Builder
		for line := range strings.Lines(c.Section(t, "cases")) {
			a, err := actions.Unmarshal([]byte(line))
			require.NoError(t, err)
			require.Equal(t, strings.TrimSpace(line), written(t, a))
			require.Equal(t, c.Name, strings.ToLower(a.Verb()))
			b.WriteString(line + shown(t, a))
			if a.Validate() == nil {
				accepted[a.Verb()] = true
			} else {
				refused[a.Verb()] = true
			}
		}
		c.Want(t, "want", b.String())
	})
	for _, lang := range words.Languages() {
		named := reflect.ValueOf(words.Domains()["actions"].Read(lang)).Elem()
		require.Equal(t, len(actions.Vocabulary()), named.Len(), "an action in words")
	}
	wechat := actions.OpenApp{App: "com.tencent.mm"} // people do not read packages
	require.Equal(t, `open "WeChat"`, actions.Brief(wechat, "en"))
	require.Equal(t, "打开了 微信", actions.Acted(wechat, "zh"))
	require.Equal(t, `open "com.tencent.mm"`, actions.Describe(wechat), "models read what they wrote")
	for _, a := range actions.Vocabulary() {
		require.NotEqual(t, actions.Brief(a, "en"), actions.Brief(a, "zh"))
		require.NotEqual(t, actions.Acted(a, "en"), actions.Acted(a, "zh"))
		require.NotEqual(t, actions.Brief(a, "en"), actions.Acted(a, "en"))
		require.True(t, accepted[a.Verb()], "no case of %s", a.Verb())
		fields := reflect.TypeOf(a).NumField() > 0 // what has fields has a way to be wrong
		require.Equal(t, fields, refused[a.Verb()], "no case refuses %s", a.Verb())
	}
}

// shown is what an action comes to, a line for each of its sides.
func shown(t *testing.T, a actions.Action) string {
	if err := a.Validate(); err != nil {
		return "  refused: " + err.Error() + "\n"
	}
	back, err := actions.Decision{Action: a}.AgentAction()
	require.NoError(t, err)
	out := "  words: " + actions.Describe(a) + "\n  brief: " + actions.Brief(a, "en") + " | " +
		actions.Brief(a, "zh") + "\n  agent_action: " + string(back) + "\n"
	if g, ok := a.(actions.Gesture); ok {
		synctest.Test(t, func(t *testing.T) {
			var p pad
			require.NoError(t, g.Do(t.Context(), &p))
			requireTraits(t, a.Traits(), p.touches)
			out += "  touches: " + cmp.Or(strings.Join(p.touches, ", "), "nothing") + "\n"
		})
	}
	return out
}

// requireTraits checks that an action touches the phone as its traits say.
func requireTraits(t *testing.T, does actions.Traits, touches []string) {
	var points []string
	for _, p := range does.Points {
		points = append(points, fmt.Sprint(p))
	}
	at := " " + strings.Join(points, " ")
	path := "swipe" + at + " " + does.Took.String()
	if does.Carries {
		path = "drag" + at
	}
	want := map[actions.Kind]string{
		actions.KindHold:   "press" + at,
		actions.KindPath:   path,
		actions.KindKey:    "key " + string(does.Key),
		actions.KindLaunch: "launch " + strconv.Quote(does.Text),
	}
	text := regexp.MustCompile(`^(tap` + regexp.QuoteMeta(at) + `|clear|type|key enter)`)
	twice := len(touches) > 1 || len(touches) > 0 && strings.HasPrefix(touches[0], "double")
	for _, touch := range touches {
		switch does.Kind {
		case actions.KindText:
			require.Regexp(t, text, touch)
			continue
		case actions.KindTap:
			require.Contains(t, []string{"tap" + at, "double" + at}, touch)
			require.Equal(t, does.Twice, twice)
			continue
		}
		require.NotEmpty(t, want[does.Kind], "it has no kind, and touches: %s", touch)
		require.True(t, strings.HasPrefix(touch, want[does.Kind]), touch)
	}
	require.Equal(t, does.Passive, len(touches) == 0, "a gesture touches the phone or is passive")
	require.Equal(t, does.Passive, does.Kind == actions.KindNone)
}

func TestEveryMemberIsAGestureOrForTheLoop(t *testing.T) {
	var forTheLoop []string
	for _, a := range actions.Vocabulary() {
		if _, ok := a.(actions.Gesture); !ok {
			forTheLoop = append(forTheLoop, a.Verb())
		}
	}
	require.Equal(t, []string{"INFO", "NOTE", "COMPLETE", "ABORT"}, forTheLoop)
}

func TestEveryFieldHasItsNameInAgentAction(t *testing.T) {
	for _, a := range actions.Vocabulary() {
		for f := range reflect.TypeOf(a).Fields() {
			own := f.Name == "Personal" // which is no model's to say
			require.Equal(t, own, f.Tag.Get("arg") == "", "%s.%s", a.Verb(), f.Name)
		}
	}
}

func TestWhoAnswersIsNoArgument(t *testing.T) {
	d := actions.Decision{Action: actions.Info{Question: "q?", Personal: true}}
	b, err := d.AgentAction()
	require.NoError(t, err)
	require.NotContains(t, string(b), "true")
}

func TestOnlyWaitIsPassive(t *testing.T) {
	for _, a := range actions.Vocabulary() {
		require.Equal(t, a.Verb() == "WAIT", a.Traits().Passive, a.Verb())
	}
}

// A secret that is put into every text of every action is in none of them once they are masked.
func TestTextsReachesEveryTextOfEveryAction(t *testing.T) {
	const secret, hidden = "s3cr3t-4711", "***"
	swap := func(from, to string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(s, from, to) }
	}
	for _, zero := range actions.Vocabulary() {
		v := reflect.New(reflect.TypeOf(zero)).Elem()
		fill(t, v, "say "+secret)
		a := v.Interface().(actions.Action)
		masked := actions.Texts(a, swap(secret, hidden))
		require.NotContains(t, written(t, masked), secret)
		require.Equal(t, a, actions.Texts(masked, swap(hidden, secret)),
			"%s: only texts change", a.Verb())
		require.NotContains(t, written(t, a), hidden, "%s: the action itself stays", a.Verb())
	}
}

func TestTextsReachesEveryTextOfDecisionsAndTurns(t *testing.T) {
	hide := func(s string) string { return strings.ReplaceAll(s, "s3cr3t", "***") }
	var d actions.Decision
	var turn actions.Turn
	for _, v := range []any{&d.Thought, &d.Explain, &d.Summary, &d.Fields, &turn} {
		fill(t, reflect.ValueOf(v).Elem(), "say s3cr3t")
	}
	d.Action = actions.Note{Text: "s3cr3t"}
	for _, masked := range []any{d.Texts(hide), turn.Texts(hide)} {
		b, err := json.Marshal(masked)
		require.NoError(t, err)
		require.Contains(t, string(b), "***")
		// Keys, names and ids are no texts.
		b = regexp.MustCompile(`"(key|name|id)":"say s3cr3t"`).ReplaceAll(b, nil)
		require.NotContains(t, string(b), "s3cr3t")
	}
	require.Equal(t, "say s3cr3t", turn.Notes[0], "the turn itself stays")
}

func written(t *testing.T, a actions.Action) string {
	b, err := actions.Marshal(a)
	require.NoError(t, err)
	return string(b)
}

// fill puts the text into every string of v. A string of a named type is no text, but one of a
// closed set, which Validate holds it to.
func fill(t *testing.T, v reflect.Value, text string) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte(`{"at":[{"did":"` + text + `"}]}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(text)
			return
		}
		require.Contains(t, []string{"Key", "Direction", "Outcome"}, v.Type().Name())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), text)
		fill(t, v.Index(1), text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), text)
		}
	case reflect.Bool, reflect.Float64, reflect.Int, reflect.Int64:
	default:
		t.Fatalf("%v: cannot tell whether it holds texts", v.Type())
	}
}

func TestKeysAndDirectionsAreComplete(t *testing.T) {
	require.ElementsMatch(t, constantsOfSource(t, "Key"), texts(actions.Keys))
	require.ElementsMatch(t, constantsOfSource(t, "Direction"), texts(actions.Directions))
}

func texts[S ~string](all []S) []string {
	var out []string
	for _, s := range all {
		out = append(out, string(s))
	}
	return out
}

func eachDecl(t *testing.T, f func(ast.Decl)) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f(d)
		}
	}
}

func methodsOfSource(t *testing.T) map[string]map[string]bool {
	methods := map[string]map[string]bool{}
	eachDecl(t, func(d ast.Decl) {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil {
			return
		}
		if recv, ok := fn.Recv.List[0].Type.(*ast.Ident); ok {
			if methods[recv.Name] == nil {
				methods[recv.Name] = map[string]bool{}
			}
			methods[recv.Name][fn.Name.Name] = true
		}
	})
	return methods
}

func constantsOfSource(t *testing.T, typ string) []string {
	var out []string
	eachDecl(t, func(d ast.Decl) {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			return
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == typ {
				out = append(out, strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`))
			}
		}
	})
	return out
}
