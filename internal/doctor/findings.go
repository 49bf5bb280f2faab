package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

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

// Report is all that was found. A cause has one finding, and what follows from it has none.
type Report struct {
	OK       bool      `json:"ok"` // nothing is broken
	Findings []Finding `json:"findings"`
	phones   []string
}

// Has reports whether there is a finding of the level.
func (r Report) Has(l level) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == l })
}

// Phones returns the ids and addresses of all phones that were looked at.
func (r Report) Phones() []string { return r.phones }

// part is a context for a part of the work: a share, 0 to 1, of the time that is left.
func part(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, _ := ctx.Deadline()
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(end))))
}

// found is a finding before it is put into words.
type found struct {
	id, subject string
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
		fill := strings.NewReplacer(f.with...)
		r.Findings = append(r.Findings, Finding{ID: f.id, Level: levels[f.id],
			Subject: f.subject, Says: fill.Replace(said.Says[f.id]),
			Mend: fill.Replace(said.Mends[f.id])})
		r.OK = r.OK && levels[f.id] != Broken
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

// levels are all findings that there are.
var levels = map[string]level{
	"config.broken": Broken,

	"adb.ready":   OK,
	"adb.missing": Broken, // no server, and no program to start one
	"adb.failed":  Broken, // the program started none
	"adb.away":    Broken, // the configured address does not answer
	"adb.port":    Broken, // another program has it
	"adb.version": Warning,

	"phone.ready":        OK,
	"phone.none":         Broken,
	"phone.absent":       Broken, // the configured one
	"phone.unauthorized": Broken,
	"phone.permissions":  Broken,
	"phone.offline":      Broken,
	"phone.mode":         Broken, // recovery, bootloader, ...
	"phone.hung":         Broken,
	"phone.starting":     Broken,
	"phone.unreadable":   Broken,
	"phone.locked":       Broken,
	"phone.dark":         Warning,
	"phone.touches":      Broken,
	"phone.keyboard":     Warning, // ADBKeyBoard is missing
	"phone.switching":    Warning, // input methods may not be switched
	"phone.storage":      Warning,
	"phone.capture":      Broken,
	"phone.slow":         Warning,
	"phone.secure":       Warning,
	"phone.restless":     Warning, // elements: the screen never rests
	"phone.unlisted":     Warning, // elements: uiautomator gives none
	"phone.profile":      Warning,
	"phone.folded":       Warning,
	"phone.twice":        Warning, // reached in several ways
	"phone.clock":        Warning,

	"model.ready":       OK,
	"model.replay":      OK,
	"model.unset":       Broken, // it cannot be opened as configured
	"model.unreachable": Broken,
	"model.scheme":      Broken, // http where https is spoken, or the reverse
	"model.certificate": Broken,
	"model.silent":      Warning, // it takes longer than this looks
	"model.key":         Broken,
	"model.name":        Broken,
	"model.path":        Broken,
	"model.limit":       Broken,
	"model.failed":      Broken,
	"model.blind":       Broken,
	"model.dialect":     Warning, // of another family that is read
	"model.unreadable":  Broken,
	"model.places":      Broken,

	"data.ready":    OK,
	"data.database": Broken, // of store.url
	"data.readonly": Broken,
	"data.file":     Broken, // in the place of the folder
	"data.full":     Broken,
	"data.scarce":   Warning,
	"data.broken":   Broken,

	"clock.ready": OK,
	"clock.wrong": Warning,

	"http.ready":   OK,
	"http.serving": OK,
	"http.taken":   Warning,
	"http.refused": Warning,
	"http.open":    Warning, // reachable from elsewhere, without a token
	"http.tokens":  Broken,

	"client.ready":   OK,
	"client.none":    OK,
	"client.broken":  Warning,
	"client.command": Warning,
}
