package dialect_test

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/screen"
)

func templated(t *testing.T, text string) dialect.Base { return templatedIn(t, "en", text) }

func templatedIn(t *testing.T, lang, text string) dialect.Base {
	own, err := dialect.ParseTemplate("own", text, lang)
	require.NoError(t, err)
	return dialect.NewBase(dialect.Options{Lang: lang, Quality: 50}, dialect.Made{
		Profile: dialect.Profile{Name: "x", Turns: 9, Pictures: 1, Fit: screen.Fit{Long: 120},
			Coordinates: screen.Coordinates{Unit: 1000}},
		Template: own, Abort: "give up",
	})
}

// A whole dialogue: system message, former turns with the newest's picture, and the screen now.
func TestATemplateIsAWholeConversation(t *testing.T) {
	b := templated(t, `{{system}}You work on {{.Date}}, {{.Weekday}}. {{.Place}}
{{range .History}}{{user}}{{.Picture}}{{if eq .N 1}}
Task: {{$.Task}}{{end}}
{{.App}} {{.JustIn}}{{range .Notes}}!{{.}}{{end}}
{{assistant}}{{.Said}}
{{end}}{{user}}
{{.Picture}} {{.Width}}x{{.Height}} {{.App}} {{range .Earlier}}({{.}}){{end}}{{.JustIn}}
`)
	look := dialecttest.Observation(t)
	asked, err := b.Prompt(dialect.Situation{
		Task: "buy\nshoes", Screen: look, ReplyJustIn: true,
		Exchanges: []actions.Exchange{{Question: "1", Answer: "a", Outcome: actions.Answered},
			{Question: "2", Answer: "b", Outcome: actions.Answered},
			{Question: "3", Answer: "c", Outcome: actions.Answered}},
		History: []dialect.Turn{
			{Turn: actions.Turn{App: "x.y", Notes: []string{"n\n1"},
				Reply:  actions.Reply{Text: "first\n<b>", Reasoning: "why"},
				Answer: &actions.Exchange{Question: "2", Answer: "b", Outcome: actions.Answered}}},
			{Turn: actions.Turn{Reply: actions.Reply{Text: "second \x00user\x00 \x000\x00"}},
				Frame: look.Frame},
		},
	})
	require.NoError(t, err)
	require.Equal(t, `[system]
You work on 2026-11-22, Sunday. A place on the screen is written x,y: two whole numbers from 0 to `+
		`1000. 0,0 is the top left corner and 1000,1000 the bottom right one; x grows to the `+
		`right, y grows downwards.
[user]
Task: buy\nshoes
x.y To your question "2" the answer is "b".!n\n1
[assistant]
<think>why</think>first
<b>
[user]
[picture 54x120]
[assistant]
second user 0
[user]
[picture 54x120]
54x120 com.example.shop (To your question "1" the answer is "a".)To your question "3" the `+
		`answer is "c".
`, asked.String())
	size, err := jpeg.DecodeConfig(bytes.NewReader(asked.Messages[5].Parts[0].JPEG))
	require.NoError(t, err)
	require.Equal(t, 54, size.Width)
}

func TestATemplateThatCannotBeReadNamesItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"a\n{{if}}":       "own:2: missing value for if",
		"a\n\n{{.Task":    "own:3: unclosed action",
		"{{shout .Task}}": `own:1: function "shout" not defined`,
		"a\x00b":          "own has a NUL in it, which is no text",
		"\xff\xfea":       "own is not UTF-8",
		// In every branch, whether or not this run ever takes it, all at once.
		"x\n{{.Tusk}}{{if .Steered}}{{$.Nope}}{{else}}{{.History.X}}{{end}}": "own:2:2: unknown " +
			"variable .Tusk; own:2:27: unknown variable .Nope; own:2:52: unknown variable .X",
		"x\n{{range .History}}{{.Tusk}}{{end}}": "own:2:20: unknown variable .Tusk",
		"{{range $i, $t := .History}}{{with $x := $t.Notes}}{{$x.A}}{{end}}" +
			"{{end}}": "variable .A",
		`{{define "a"}}{{.B}}{{end}}{{range .Asked}}{{template "a" $}}` +
			`{{end}}`: "variable .B",
		`{{if eq .Lang "zh"}}{{quote (.Task).C}}{{end}}`: "variable .C",
	} {
		_, err := dialect.ParseTemplate("own", text, "en")
		require.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		"{{(index .History 0).Tusk}}": "prompting: own:1:18: unknown variable .Tusk",
		"{{index .Notes 5}}":          "prompting: own:1:2: executing",
	} {
		b := templated(t, text)
		_, err := b.Prompt(dialect.Situation{Screen: dialecttest.Observation(t),
			History: make([]dialect.Turn, 1)})
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "\n")
	}
}

// What is there is not called unknown, and a mark of the encoding is no message.
func TestATemplateOfAllForms(t *testing.T) {
	b := templated(t, "\ufeff{{system}}S{{user}}{{.Picture}}{{$t := \"\"}}"+
		"{{range .History}}{{$t = .}}"+
		"{{.Did.String}}{{end}}{{with $t}}{{.Did}}{{end}}"+
		"{{range $t := .Notes}}{{$t}}{{else}}none{{end}} "+
		"{{with .Task}}{{printf \"%s\" . | len}} {{$.Lang}}{{end}}{{range 2}}{{.}}{{end}}"+
		"{{template \"notes\" .}}{{block \"list\" .History}}{{range .}}{{.N}}{{end}}{{end}}")
	asked, err := b.Prompt(dialect.Situation{Task: "ab", Screen: dialecttest.Observation(t),
		History: []dialect.Turn{{Turn: actions.Turn{Did: "it"}}}})
	require.NoError(t, err)
	require.Equal(t, "[system]\nS\n[user]\n[picture 54x120]\nititnone 2 en011\n", asked.String())
}

// keyed is what is said instead to models that write x and y by their names, in no order.
var keyed = strings.NewReplacer("y,x", "x,y", "120,54", "54,120")

// A place is explained in the coordinates that hold, in both languages.
func TestThePromptExplainsTheCoordinatesThatHold(t *testing.T) {
	look := dialecttest.Observation(t)
	for set, want := range map[string][2]string{
		"1000":      {"written x,y: two whole numbers from 0 to 1000", "x,y，是两个 0 到 1000 的整数"},
		"999 yx":    {"written y,x: two whole numbers from 0 to 999", "y,x，是两个 0 到 999 的整数"},
		"1":         {"two fractions from 0 to 1", "两个 0 到 1 的三位小数"},
		"pixels":    {"the pixels of the picture, which is 54x120", "图片大小是 54x120"},
		"pixels yx": {"120,54 the bottom right", "右下角是 120,54"},
	} {
		c, err := screen.ParseCoordinates(set)
		require.NoError(t, err)
		for i, lang := range []string{"en", "zh"} {
			for _, f := range families.Known {
				d, err := families.Known.New(f.Name, &dialect.Options{Lang: lang, Coordinates: &c,
					Fit: &screen.Fit{Long: 120}})
				require.NoError(t, err)
				asked, err := d.Prompt(dialect.Situation{Task: "t", Screen: look})
				require.NoError(t, err)
				said := want[i]
				if strings.HasPrefix(f.Name, "general") {
					said = keyed.Replace(said)
				}
				require.Contains(t, asked.String(), said, f.Name)
			}
		}
	}
}

// The texts of a prompt are bounded whatever a run has gathered.
func TestAPromptIsBounded(t *testing.T) {
	look := dialecttest.Observation(t)
	many := make([]string, 500)
	exchanges := make([]actions.Exchange, 500)
	for i := range many {
		many[i] = fmt.Sprintf("item %d ", i) + strings.Repeat("长", 5000)
		exchanges[i] = actions.Exchange{Question: many[i], Answer: many[i]}
	}
	for _, f := range families.Known {
		d, err := families.Known.New(f.Name, nil)
		require.NoError(t, err)
		s := dialect.Situation{Task: many[0], Summary: many[0], Remembered: many, Notes: many,
			Exchanges: exchanges, Screen: look}
		for range d.Profile().Turns {
			s.History = append(s.History, dialect.Turn{Turn: actions.Turn{Notes: many[:1],
				Reply: actions.Reply{Text: many[0] + many[0]}, Did: many[0]}})
		}
		asked, err := d.Prompt(s)
		require.NoError(t, err)
		require.Less(t, len(asked.String()), 3*(40*9000+80*2100+60*12000), f.Name)
		require.Contains(t, asked.String(), "item 499", f.Name)
	}
}

// A template that writes without end is stopped.
func TestATemplateThatWritesWithoutEndIsStopped(t *testing.T) {
	b := templated(t, `{{.Picture}}{{range 999999999}}{{printf "%99s" $.Task}}{{end}}`)
	_, err := b.Prompt(dialect.Situation{Task: "buy shoes", Screen: dialecttest.Observation(t)})
	require.ErrorContains(t, err, "the prompt is longer than 4 MB")
	_, err = dialect.ParseTemplate("own",
		`{{define "form"}}{{range 99999999}}{{printf "%99s" 1}}{{end}}{{end}}`, "en")
	require.ErrorContains(t, err, "the prompt is longer than 4 MB")
}

// Nothing can call a template off: what it repeats is counted, and what it makes is bounded.
func TestATemplateThatRepeatsItselfWithoutEndIsStopped(t *testing.T) {
	rounds := "the template repeats itself more than 100000 times"
	for text, want := range map[string]string{
		`{{range 9999999999}}{{end}}`:                                         rounds,
		`{{range 9999999999}}{{/* nothing */}}{{- end}}`:                      rounds,
		`{{range 99999}}{{range 99999}}{{range 99999}}{{end}}{{end}}{{end}}`:  rounds,
		`{{range 9999999999}}{{if $.Task}}{{continue}}{{end}}{{end}}`:         rounds,
		`{{if .Task}}{{with .Task}}{{range 9999999999}}{{end}}{{end}}{{end}}`: rounds,
		`{{range .History}}{{else}}{{range 9999999999}}{{end}}{{end}}`:        rounds,
		`{{define "a"}}{{if .}}{{template "a" slice . 1}}{{template "a" slice . 1}}{{end}}{{end}}` +
			`{{template "a" "0123456789012345678901234567890123456789"}}`: rounds,
		`{{$x := "0123456789"}}{{range 40}}{{$x = print $x $x}}{{end}}`:         "longer than 4 MB",
		`{{$x := "0123456789"}}{{range 40}}{{$x = printf "%s%s" $x $x}}{{end}}`: "longer than 4 MB",
		`{{$x := "<<<<<<<<<<"}}{{range 40}}{{$x = html $x $x}}{{end}}`:          "longer than 4 MB",
	} {
		b := templated(t, `{{.Picture}}`+text)
		begun := time.Now()
		_, err := b.Prompt(dialect.Situation{Task: "buy shoes", Screen: dialecttest.Observation(t)})
		require.ErrorContains(t, err, want, text)
		require.Less(t, time.Since(begun), patient.Lid, text)
	}
	_, err := dialect.ParseTemplate("own", `{{define "form"}}{{range 9999999999}}{{end}}{{end}}`,
		"en")
	require.ErrorContains(t, err, rounds)
	b := templated(t, `{{.Picture}}{{range 99}}{{.}} {{end}}{{printf "%s!" .Task}}{{html "<"}}`)
	asked, err := b.Prompt(dialect.Situation{Task: "buy shoes", Screen: dialecttest.Observation(t)})
	require.NoError(t, err)
	require.Contains(t, asked.String(), " 97 98 buy shoes!&lt;")
}

func TestANewInstructionIsNotToldToGoOnWithTheTask(t *testing.T) {
	for lang, want := range map[string][2]string{
		"en": {`a new instruction: "the \"red\" one"`, "Go on with the task"},
		"zh": {`新的指令：`, "请继续完成任务"},
	} {
		shown := func(o actions.Outcome) string {
			b := templatedIn(t, lang, `{{template "justIn" .}}{{.Picture}}`)
			r, err := b.Prompt(dialect.Situation{Task: "pick blue", ReplyJustIn: true,
				Exchanges: []actions.Exchange{{Answer: `the "red" one`, Outcome: o}},
				Screen:    dialecttest.Observation(t)})
			require.NoError(t, err)
			return r.String()
		}
		require.Contains(t, shown(actions.Instructed), want[0])
		require.NotContains(t, shown(actions.Instructed), want[1])
		require.Contains(t, shown(actions.Noted), want[1])
	}
}

// What every step needs is in every prompt, not only in one that has all there is.
func TestATemplateThatShowsTheScreenOnlySometimesIsRefused(t *testing.T) {
	d, err := families.Known.New("gelab", &dialect.Options{Lang: "en"})
	require.NoError(t, err)
	rest := `{{.Summary}}{{.JustIn}}{{range .Notes}}{{.}}{{end}}{{range .Asked}}{{.}}{{end}}` +
		`{{range .Remembered}}{{.}}{{end}}`
	for text, variable := range map[string]string{
		`{{.Picture}}{{.Task}}`:                           "",
		`{{if .JustIn}}{{.Picture}}{{end}}{{.Task}}`:      ".Picture",
		`{{if .History}}{{.Picture}}{{end}}{{.Task}}`:     ".Picture",
		`{{if not .Notes}}{{.Picture}}{{end}}{{.Task}}`:   ".Picture",
		`{{.Picture}}{{if .Notes}}{{.Task}}{{end}}`:       ".Task",
		`{{.Picture}}{{if .App}}{{else}}{{.Task}}{{end}}`: ".Task",
	} {
		own, err := dialect.ParseTemplate("own", text+rest, "en")
		require.NoError(t, err)
		lacks, err := dialect.CheckTemplate(own, d)
		require.NoError(t, err)
		if variable == "" {
			require.Empty(t, lacks)
			continue
		}
		require.Len(t, lacks, 1, text)
		require.Equal(t, variable, lacks[0].Variable, text)
		require.True(t, lacks[0].Needed)
	}
	for text, want := range map[string]string{
		`{{system}}{{.Picture}}{{user}}{{.Task}}`:           "a picture stands in {{system}}",
		`{{user}}{{.Picture}}{{.Task}}{{assistant}}I see: `: "it ends with {{assistant}}",
	} {
		own, err := dialect.ParseTemplate("own", text+rest, "en")
		require.NoError(t, err)
		_, err = dialect.CheckTemplate(own, d)
		require.ErrorContains(t, err, want)
	}
	blind := templated(t, `{{.Task}}{{if eq .Task "t"}}{{.Picture}}{{end}}`)
	_, err = blind.Prompt(dialect.Situation{Task: "t", Screen: dialecttest.Observation(t)})
	require.NoError(t, err)
	_, err = blind.Prompt(dialect.Situation{Task: "another", Screen: dialecttest.Observation(t)})
	require.ErrorContains(t, err, "the template does not show .Picture in this step")
}
