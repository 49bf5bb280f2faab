// Package dialecttest is the contract that every dialect keeps: golden conversations, and a law for
// a fuzz target.
//
// A family's test file names it once, as a [Suite], and calls its methods. The golden cases are in
// testdata/dialects/NAME: replies with the sections reply (or reply.quoted, a Go string, for
// characters that a text file would hide), reasoning, calls (a line each: name and arguments) and
// cut, prompts with the section situation.json, and the vocabulary as the family writes it.
package dialecttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/words"
)

// Suite is one family under test.
type Suite struct {
	Name  string
	New   func(dialect.Options) dialect.Dialect
	Wrote func(actions.Reply) bool
	Write dialect.Writer

	// Typing are replies that type a text which the model copied from the screen, with {} in its
	// place. Whatever the text holds, they end no task.
	Typing []string
}

// speak returns the family as chosen from a table.
func (s Suite) speak(lang string) dialect.Dialect {
	table := dialect.Table{{Name: s.Name, New: s.New, Wrote: s.Wrote, Write: s.Write}}
	d, err := table.New(s.Name, &dialect.Options{Lang: lang, Quality: 50})
	if err != nil {
		panic(err)
	}
	return d
}

// Frame is a picture with something on it, a tenth of a phone's on each side.
func Frame(t require.TestingT) *screen.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 108, 240))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	for y := range 240 {
		img.Set(50, y, color.White)
	}
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	return f
}

// Observation returns a phone's screen and state on a Sunday.
func Observation(t require.TestingT) screen.Observation {
	return screen.Observation{Frame: Frame(t), State: screen.State{App: "com.example.shop"},
		At: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)}
}

// Replies reads the golden replies.
func (s Suite) Replies(t *testing.T) {
	d, situation := s.speak("en"), dialect.Situation{Screen: Observation(t)}
	golden.Run(t, s.folder(t, "replies"), func(t *testing.T, c *golden.Case) {
		require.NotEmpty(t, c.Comment, "say the rule")
		r := Reply(t, c)
		got, err := d.Parse(r, situation)
		c.Want(t, "want", Shown(t, got, err))
		if err == nil {
			require.True(t, s.Wrote(r), "what is read is in the dialect's form")
		}
	})
}

func (s Suite) folder(t testing.TB, kind string) string {
	return golden.Shared(t, "dialects/"+s.Name+"/"+kind)
}

// Reply is the reply of a golden case.
func Reply(t testing.TB, c *golden.Case) actions.Reply {
	r := actions.Reply{Cut: c.Has("cut")}
	if c.Has("reasoning") {
		r.Reasoning = c.Section(t, "reasoning")
	}
	if c.Has("calls") {
		for line := range strings.Lines(c.Section(t, "calls")) {
			name, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
			r.Calls = append(r.Calls, actions.Call{ID: "1", Name: name, Arguments: arguments})
		}
	}
	switch {
	case c.Has("reply.quoted"):
		text, err := strconv.Unquote(strings.TrimSpace(c.Section(t, "reply.quoted")))
		require.NoError(t, err)
		r.Text = text
	case c.Has("reply"):
		r.Text = c.Section(t, "reply")
	}
	return r
}

// Shown is what a reply was read as, as text.
func Shown(t require.TestingT, d actions.Decision, err error) string {
	if err != nil {
		require.Empty(t, d)
		return "error: " + err.Error()
	}
	action, err := actions.Marshal(d.Action)
	require.NoError(t, err)
	shown := fmt.Sprintf("action %s\nthought %q\nexplain %q\nsummary %q\n", action, d.Thought,
		d.Explain, d.Summary)
	if d.Note != "" {
		shown += fmt.Sprintf("note %q\n", d.Note)
	}
	for _, f := range d.Fields {
		shown += fmt.Sprintf("  %s %q\n", f.Key, f.Value)
	}
	return shown
}

// Prompts holds the golden prompts, in every language.
func (s Suite) Prompts(t *testing.T) {
	golden.Run(t, s.folder(t, "prompts"), func(t *testing.T, c *golden.Case) {
		require.NotEmpty(t, c.Comment, "say the rule")
		for _, lang := range words.Languages() {
			var now dialect.Situation
			require.NoError(t, json.Unmarshal([]byte(c.Section(t, "situation.json")), &now))
			now.Screen = Observation(t)
			d := s.speak(lang)
			for i := range now.History {
				if len(now.History)-i <= d.Profile().Pictures {
					now.History[i].Frame = now.Screen.Frame
				}
			}
			asked, err := d.Prompt(now)
			require.NoError(t, err)
			c.Want(t, lang, asked.String())
		}
	})
}

// Fuzz checks a law. Any reply is either a valid action with its points on the screen, which reads
// the same when written in the dialect's own form, or a *dialect.ParseError that says in a few
// words what was wrong and what was expected.
func (s Suite) Fuzz(f *testing.F) {
	for _, c := range golden.Load(f, s.folder(f, "replies")) {
		r := Reply(f, c)
		name, arguments := "", ""
		if len(r.Calls) > 0 {
			name, arguments = r.Calls[0].Name, r.Calls[0].Arguments
		}
		f.Add(r.Text, r.Reasoning, name, arguments, r.Cut)
	}
	d, situation := s.speak("zh"), dialect.Situation{Screen: Observation(f)}
	f.Fuzz(func(t *testing.T, text, reasoning, name, arguments string, cut bool) {
		r := actions.Reply{Text: text, Reasoning: reasoning, Cut: cut}
		if name != "" {
			r.Calls = []actions.Call{{ID: "1", Name: name, Arguments: arguments}}
		}
		s.endsNothing(t, d, situation, text)
		got, err := d.Parse(r, situation)
		if err == nil {
			require.True(t, s.Wrote(r))
			s.lawful(t, d, situation, got)
			return
		}
		parse, ok := err.(*dialect.ParseError)
		require.True(t, ok)
		require.Nil(t, got.Action)
		require.NotEmpty(t, parse.Problem)
		require.NotEmpty(t, parse.Want)
		require.Less(t, len(err.Error()), 2000)
		require.True(t, utf8.ValidString(err.Error()))
		for _, m := range d.Repair(r, err) {
			require.NotEmpty(t, m.Parts[0].Text)
			require.True(t, utf8.ValidString(m.Parts[0].Text))
		}
	})
}

func (s Suite) lawful(
	t *testing.T, d dialect.Dialect, now dialect.Situation, got actions.Decision,
) {
	require.NoError(t, got.Action.Validate())
	for _, p := range got.Action.Traits().Points {
		require.True(t, p.Valid())
	}
	_, err := actions.Marshal(got.Action)
	require.NoError(t, err)
	s.same(t, d, now, got.Action)
}

func (s Suite) endsNothing(
	t require.TestingT, d dialect.Dialect, now dialect.Situation, copied string,
) {
	for _, form := range s.Typing {
		said := strings.ReplaceAll(form, "{}", copied)
		got, err := d.Parse(actions.Reply{Text: said}, now)
		if err == nil {
			require.NotContains(t, []string{"COMPLETE", "ABORT"}, got.Action.Verb(), "%q", said)
		}
	}
}

// CopiedTexts types texts that are made of these endings, which may look like the end of the typed
// text.
func (s Suite) CopiedTexts(t *testing.T, endings ...string) {
	d, now := s.speak("en"), dialect.Situation{Screen: Observation(t)}
	require.NotEmpty(t, s.Typing)
	afters := []string{"", "\n", "</answer>", "\n```", `"`}
	tried := 0
	for _, ending := range endings {
		for _, before := range []string{"", "x", "</think>", "<think>", "<think></think>", `"`,
			`\"`, "'", "```", `")`, `"}`, `"}}`, `"})`, "')", "</answer>", "<|end_of_box|>",
			"</tool_call>"} {
			for _, sep := range []string{"", "\t", "\n", "\n\n", "\r", " ", ", ", `\n`} {
				for _, tag := range []string{"", "<answer>", "<|begin_of_box|>", "<tool_call>",
					"Action: ", "</think>"} {
					tried++ // what stands behind takes turns: all of it with all would be slow
					after := afters[tried%len(afters)]
					s.endsNothing(t, d, now, before+sep+tag+ending+after)
				}
			}
		}
	}
}

// same writes the action as the family does, which has to read as the same action. can is false if
// the family has no form for it.
func (s Suite) same(
	t require.TestingT, d dialect.Dialect, now dialect.Situation, a actions.Action,
) (written actions.Reply, can bool) {
	p := d.Profile()
	written, can = s.Write(actions.Decision{Action: a, Thought: "t", Explain: "e"},
		dialect.Scale{Coordinates: p.Coordinates, Picture: p.Fit.Size(now.Screen.Frame.Size())})
	if can {
		again, err := d.Parse(written, now)
		require.NoError(t, err, "%+v", written)
		require.Equal(t, rounded(t, a), rounded(t, again.Action), "%+v", written)
	}
	return written, can
}

// rounded is the action as JSON, with the numbers of points as exact as they are written.
func rounded(t require.TestingT, a actions.Action) any {
	b, err := actions.Marshal(a)
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(b, &v))
	return round(v)
}

func round(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = round(v[k])
		}
	case float64:
		return strconv.FormatFloat(v, 'f', 5, 64)
	}
	return v
}

// Vocabulary writes every valid action of the golden cases as the family's models write it, and
// reads it back. It holds the shortest of each kind, and which ones the family has no form for.
func (s Suite) Vocabulary(t *testing.T) {
	d, now := s.speak("en"), dialect.Situation{Screen: Observation(t)}
	shortest := map[string]string{}
	for _, c := range golden.Load(t, golden.Shared(t, "actions")) {
		for line := range strings.Lines(c.Section(t, "cases")) {
			a, err := actions.Unmarshal([]byte(line))
			require.NoError(t, err)
			if w, ok := a.(actions.Wait); ok {
				a = actions.Wait{For: min(w.For, actions.MaxWait)}
			}
			if a.Validate() != nil {
				continue
			}
			if r, can := s.same(t, d, now, a); can {
				said := strconv.Quote(d.Transcript(r))
				if was := shortest[a.Verb()]; was == "" || len(said) < len(was) {
					shortest[a.Verb()] = said
				}
			}
		}
	}
	golden.Run(t, s.folder(t, "vocabulary"), func(t *testing.T, c *golden.Case) {
		require.NotEmpty(t, c.Comment, "say the rule")
		var b strings.Builder
		for _, a := range actions.Vocabulary() {
			fmt.Fprintln(&b, a.Verb(), cmp.Or(shortest[a.Verb()], "has no form"))
		}
		c.Want(t, "want", b.String())
	})
}
