package doctor

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/words"
)

// level says how bad a finding is.
type level string

// The levels.
const (
	OK      level = "ok"
	Warning level = "warning" // it works, less well than it could
	Broken  level = "broken"  // nothing works, or a part of it
)

// Finding is one thing that was looked at.
type Finding struct {
	ID      string `json:"id"`
	Level   level  `json:"level"`
	Subject string `json:"subject"` // adb, a phone, model, ...
	Says    string `json:"says"`
	Mend    string `json:"mend,omitempty"` // empty if the level is OK
}

// Print prints the finding for people, harmless for a terminal and within its width. Its level and
// label are in lang.
func (f Finding) Print(w io.Writer, paint tty.Painter, lang string) {
	tone := map[level]tty.Tone{OK: tty.Good, Warning: tty.Asks, Broken: tty.Bad}[f.Level]
	says := words.Phrase(lang, string(f.Level))
	says += strings.Repeat(" ", max(9-ansi.StringWidth(says), 1))
	paint.Line(w, tty.Span{Tone: tone, Text: says}, tty.Span{Text: f.Says + "  [" + f.ID + "]"})
	sheet := tty.Sheet{To: w, Columns: tty.Columns(w), Lang: lang}
	sheet.Line(strings.Repeat(" ", 9)+"try: ", f.Mend)
}

// Report is all that was found. A cause has one finding, and what follows from it has none.
type Report struct {
	OK       bool      `json:"ok"` // nothing is broken
	Findings []Finding `json:"findings"`
	Phones   []string  `json:"-"` // ids and addresses of all that were looked at
	Clients  []string  `json:"-"` // addresses in their settings
}

// Has reports whether there is a finding of the level.
func (r Report) Has(l level) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == l })
}

// part is a context for a part of the work: a share, 0 to 1, of the time that is left.
func part(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, _ := ctx.Deadline()
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(end))))
}

// found is a finding before it is put into words.
type found struct {
	id, subject string   // a colon in the id parts it from a case that has its own words
	with        []string // names and what stands for them, as for strings.NewReplacer
}

// ledger is what one check has found.
type ledger []found

// add notes a finding. with are the names in its text, each followed by what it stands for.
func (l *ledger) add(id, subject string, with ...string) {
	for i := range with {
		if i%2 == 0 {
			with[i] = "{" + with[i] + "}"
		}
	}
	*l = append(*l, found{id, subject, with})
}

func (l ledger) has(id string) bool {
	return slices.ContainsFunc(l, func(f found) bool { return f.id == id })
}

// report puts the findings into words, the broken things first.
func (l ledger) report(lang string) Report {
	r := Report{OK: true, Findings: []Finding{}}
	said := textsIn(cmp.Or(lang, words.Default))
	for _, f := range l {
		// whose values are phrases
		for _, name := range []string{"{lock}", "{state}", "{switch}", "{model}"} {
			if at := slices.Index(f.with, name); at >= 0 {
				f.with[at+1] = words.Phrase(lang, f.with[at+1])
			}
		}
		fill := strings.NewReplacer(f.with...)
		mend := fill.Replace(said.Mends[f.id])
		id, _, _ := strings.Cut(f.id, ":")
		r.Findings = append(r.Findings, Finding{ID: id, Level: levelOf(f.id, mend),
			Subject: f.subject, Says: fill.Replace(said.Says[f.id]), Mend: mend})
		r.OK = r.OK && levelOf(f.id, mend) != Broken
	}
	order := []level{Broken, Warning, OK}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return slices.Index(order, a.Level) - slices.Index(order, b.Level)
	})
	return r
}

// texts are the words for findings.
type texts struct {
	Says, Mends map[string]string // by the findings' ids
	Ask         questions
	Page        pageTexts
}

// questions are put to the model.
type questions struct{ Code, Target string }

var textsIn = words.Of[texts]("doctor")

// warnings are the findings of what works less well than it could. All others with a mend are of
// something broken, and those without are good.
var warnings = []string{"adb.program", "adb.version", "phone.dark", "phone.keyboard",
	"phone.switching", "phone.storage", "phone.slow", "phone.secure", "phone.restless",
	"phone.unlisted", "phone.profile", "phone.user", "phone.displays", "phone.folded",
	"phone.twice", "phone.clock", "model.silent", "model.dialect", "data.scarce", "clock.wrong",
	"http.taken", "http.refused", "http.open", "client.broken", "client.command",
	"client.address", "client.refused"}

func levelOf(id, mend string) level {
	switch {
	case mend == "":
		return OK
	case slices.Contains(warnings, id):
		return Warning
	}
	return Broken
}
