package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// command is what can be said to a question other than an answer, and what it does.
type command struct{ form, does string }

// commands are all that can be said to the question, by name.
func (w *texts) commands(q inquiry.Question) map[string]command {
	all := map[string]command{"stop": {"/stop", w.Does["stop"]}, "help": {"/help", w.Does["help"]}}
	for name, typ := range map[string]inquiry.Type{"refuse": inquiry.TypeDecline,
		"timeout": inquiry.TypeTimeout, "delegate": inquiry.TypeDelegate} {
		if slices.Contains(q.Types(), typ) {
			all[name] = command{"/" + name, w.Does[name]}
		}
	}
	if len(q.RememberFor) > 0 {
		all["remember"] = command{"/remember SCOPE ANSWER", w.Does["remember"]}
	}
	if hasDetails(q) {
		all["details"] = command{"/details", w.Does["details"]}
	}
	for _, o := range q.Offers() {
		all[o.Name] = command{strings.TrimSpace("/" + o.Name + " " + o.Words), w.Does[o.Name]}
	}
	return all
}

// help lists what can be said to the question.
func (w *texts) help(q inquiry.Question) string {
	all := w.commands(q)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		if short := w.short(q, name); short != "" {
			c.form = short + ", " + c.form
		}
		fmt.Fprintf(&b, "  %-24s %s\n", c.form, c.does)
	}
	if len(q.Offers()) == 0 {
		b.WriteString("  " + w.Else + "\n")
	}
	return b.String()
}

// short is the shortest that may be typed in the place of an offer's name, or "".
func (w *texts) short(q inquiry.Question, name string) (shortest string) {
	says := w.Kinds[q.Kind].Says
	for _, short := range slices.Sorted(maps.Keys(says)) {
		if says[short] == name && (shortest == "" || len(short) < len(shortest)) {
			shortest = short
		}
	}
	return shortest
}

// meant is the line with a short word for an offer made that offer: y is /approve.
func (w *texts) meant(q inquiry.Question, line string) string {
	offer := w.Kinds[q.Kind].Says[strings.ToLower(strings.Trim(line, " \t.!。！"))]
	if offer == "" || w.commands(q)[offer].form == "" {
		return line
	}
	return "/" + offer
}

// near returns the command that was probably meant by one that cannot be said here, or "" if the
// line is none or can be said. To a question for a secret such a line is not its answer. A word by
// itself is one where only decisions are taken.
func (w *texts) near(q inquiry.Question, line string) string {
	word, more, _ := strings.Cut(strings.TrimSpace(line), " ")
	name, is := strings.CutPrefix(word, "/")
	all := w.commands(q)
	bare := !is && more == "" && hasDetails(q) && w.meant(q, line) == line
	if !is && !bare || name == "" || all[name].form != "" || name == "remember" {
		return ""
	}
	said := slices.Sorted(maps.Keys(all))
	for i := range said {
		said[i] = "/" + said[i]
	}
	if bare {
		said = append(slices.Sorted(maps.Keys(w.Kinds[q.Kind].Says)), said...)
	}
	for _, known := range said {
		d := levenshtein.ComputeDistance(strings.ToLower(name), strings.TrimPrefix(known, "/"))
		most := min(2, utf8.RuneCountInString(name)/2)
		swapped := strings.Trim(name, known)+strings.Trim(known, "/"+name) == "" && len(name) > 2
		if (d <= most || swapped) && (d > 0 || !bare) {
			return fmt.Sprintf(w.Near, text.Quote(word, 40), known)
		}
	}
	if q.Secret && (inquiry.IsOffer(name) || w.Does[name] != "") {
		return fmt.Sprintf(w.NotHere, text.Quote(word, 40))
	}
	return ""
}
