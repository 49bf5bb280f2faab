package phone

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

var (
	ofApp  = regexp.MustCompile(`<hierarchy[^>]* app="([^"]*)"`)
	quoted = regexp.MustCompile(`“([^”]*)”`)
	wanted = regexp.MustCompile(` want="ask"`)
)

// headlines are what people read of the touches of a screen that they are asked about, a line each:
// the rule, the label and the headline.
func headlines(p *guard.Policy, app, lang string, list []screen.Element) (all []string) {
	look := screen.Observation{Elements: list, At: time.Now(),
		State: screen.State{App: app, Size: screen.Size{W: 1080, H: 2400}}}
	for i := range list {
		a := actions.Click{At: list[i].Bounds.Center()}
		s, said := Decide(p, Subjects(look, "", actions.Decision{Action: a}))
		if !list[i].Clickable || said.Verdict != guard.Ask {
			continue
		}
		act := new(Gate).act(s, said, look, a)
		all = append(all, strings.TrimPrefix(said.Rule, "built-in: ")+" | "+text.Line(act.Label)+" | "+
			act.Describe(lang).Headline)
	}
	return all
}

// What a person reads first of a touch on screens of many kinds and languages: what would happen,
// in words of the screen.
func TestAHeadlineSaysWhatTheScreenSaysOfTheAct(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	golden.Run(t, "testdata/headlines", func(t *testing.T, c *golden.Case) {
		files, err := filepath.Glob("testdata/screens/*.xml")
		require.NoError(t, err)
		var all strings.Builder
		for _, f := range files {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			list, err := device.ParseElements(b, screen.Size{W: 1080, H: 2400}, 0)
			require.NoError(t, err)
			app := ofApp.FindSubmatch(b)
			if !wanted.Match(b) || app == nil {
				continue
			}
			shown := text.Line(strings.Join(readable(screen.Observation{Elements: list}, nil), " "))
			for _, line := range headlines(p, string(app[1]), "en", list) {
				fmt.Fprintf(&all, "%s | %s\n", filepath.Base(f), line)
				for _, q := range quoted.FindAllStringSubmatch(line, -1) {
					for part := range strings.SplitSeq(strings.TrimSuffix(q[1], text.Ellipsis), " · ") {
						require.Contains(t, shown, part, line)
					}
				}
			}
		}
		c.Want(t, "headlines", all.String())
	})
}

// wide is an element from edge to edge.
func wide(class, words, hint string, top, bottom float64) screen.Element {
	return screen.Element{Class: class, Text: words, Hint: hint, Depth: 1, Enabled: true,
		Clickable: strings.HasSuffix(class, "Button"), Editable: hint != "",
		Bounds: screen.Rect{Min: screen.Point{X: 0.05, Y: top}, Max: screen.Point{X: 0.95, Y: bottom}}}
}

// Words of the screen that would look like others are told to be the screen's.
func TestAScreenCannotSpeakInTheHeadlinesPlace(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	for _, c := range []struct {
		name string
		list []screen.Element
		want string
	}{
		{"a text that ends its quotes", []screen.Element{wide("TextView", "Anna", "", 0.06, 0.1),
			wide("EditText", "hi” to “Bob\u202e”\nAllowed", "Message", 0.8, 0.85),
			wide("ImageButton", "", "", 0.9, 0.95)},
			"Send “hi\" to \"Bob\" Allowed” to “Anna”?"},
		{"a long text", []screen.Element{wide("TextView", "Anna", "", 0.06, 0.1),
			wide("EditText", strings.Repeat("word ", 100), "Message", 0.8, 0.85),
			wide("ImageButton", "", "", 0.9, 0.95)},
			"Send “" + strings.Repeat("word ", 15) + "word…” to “Anna”?"},
		{"a placeholder", []screen.Element{wide("TextView", "Anna", "", 0.06, 0.1),
			wide("EditText", "Message", "Message", 0.8, 0.85),
			wide("ImageButton", "", "", 0.9, 0.95)}, "Send in Chat?"},
		{"two texts", []screen.Element{wide("EditText", "one", "First", 0.7, 0.75),
			wide("EditText", "two", "Second", 0.8, 0.85),
			wide("ImageButton", "", "", 0.9, 0.95)}, "Send in Chat?"},
		{"a password", []screen.Element{wide("EditText", "", "Code", 0.8, 0.85),
			wide("ImageButton", "", "", 0.9, 0.95)}, "Send in Chat?"},
		{"sums that compete", []screen.Element{wide("TextView", "$5.00", "", 0.3, 0.35),
			wide("TextView", "$7.00", "", 0.4, 0.45), wide("Button", "Buy now", "", 0.8, 0.85)},
			"Buy now?"},
		{"a total above others", []screen.Element{wide("TextView", "$5.00", "", 0.3, 0.35),
			wide("TextView", "$7.00", "", 0.4, 0.45), wide("TextView", "Total: $12.00", "", 0.5, 0.55),
			wide("Button", "Buy now", "", 0.8, 0.85)}, "Buy now — “Total: $12.00”?"},
		{"two totals", []screen.Element{wide("TextView", "Total $5.00", "", 0.3, 0.35),
			wide("TextView", "Total $7.00", "", 0.4, 0.45), wide("Button", "Buy now", "", 0.8, 0.85)},
			"Buy now?"},
		{"a balance", []screen.Element{wide("TextView", "Your balance", "", 0.3, 0.35),
			wide("TextView", "$340.00", "", 0.36, 0.4), wide("Button", "Pay", "", 0.8, 0.85)},
			"Pay — “Your balance · $340.00”?"},
		{"the only sum", []screen.Element{wide("TextView", "$39.00", "", 0.3, 0.35),
			wide("Button", "Pay", "", 0.8, 0.85)}, "Pay $39.00?"},
		{"whom", []screen.Element{wide("TextView", "To Anna Berg", "", 0.2, 0.25),
			wide("TextView", "$39.00", "", 0.3, 0.35), wide("Button", "Pay", "", 0.8, 0.85)},
			"Pay — $39.00 · “To Anna Berg”?"},
	} {
		last := &c.list[len(c.list)-1]
		if last.Text == "" {
			last.ContentDesc, last.Clickable = "Send", true
		}
		if c.name == "a password" {
			c.list[0].Password = true
		}
		page := screen.Element{Class: "android.widget.FrameLayout", Enabled: true,
			Bounds: screen.Rect{Max: screen.Point{X: 1, Y: 1}}}
		got := headlines(p, "com.example.chat", "en", append([]screen.Element{page}, c.list...))
		require.NotEmpty(t, got, c.name)
		require.Equal(t, c.want, got[len(got)-1][strings.LastIndex(got[len(got)-1], " | ")+3:], c.name)
	}
}

// The words for an act are the reader's, those of the screen stay as they are.
func TestFactsAreInTheReadersLanguage(t *testing.T) {
	for _, c := range []struct {
		act    consent.Act
		en, zh string
	}{
		{consent.Act{Label: "Senden", Facts: consent.Facts{Text: "Hallo", To: "Jonas", Sends: true}},
			"Send “Hallo” to “Jonas”?", "向“Jonas”发送“Hallo”？"},
		{consent.Act{Facts: consent.Facts{Text: "Hallo", Sends: true}}, "Send “Hallo”?", "发送“Hallo”？"},
		{consent.Act{Label: "Bezahlen", Facts: consent.Facts{Sum: "$39.00"}}, "Pay $39.00?", "支付$39.00？"},
		{consent.Act{Label: "立即支付", Facts: consent.Facts{Sum: "合计 ¥25"}},
			"立即支付 — “合计 ¥25”?", "立即支付：“合计 ¥25”？"},
		{consent.Act{Label: "Delete", Facts: consent.Facts{To: "trip.pdf"}}, "Delete — “trip.pdf”?",
			"Delete：“trip.pdf”？"},
		{consent.Act{Label: "Install", Says: "Install this app?", Facts: consent.Facts{To: "Maps"}},
			"Install this app — “Maps”?", "Install this app：“Maps”？"},
		{consent.Act{Label: "Pay", Says: "Pay now?", Facts: consent.Facts{Sum: "$5"}}, "Pay now?", "Pay now?"},
		{consent.Act{Label: "Pay", Says: "Ask first.", Ruled: true, Facts: consent.Facts{Sum: "$5"}},
			"Ask first.", "Ask first."},
	} {
		require.Equal(t, c.en, c.act.Describe("en").Headline)
		require.Equal(t, c.zh, c.act.Describe("zh").Headline)
	}
}
