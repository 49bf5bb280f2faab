package result

import (
	"encoding/json"
	"slices"
)

// Fit shortens a body until size is at most most. size tells how large what is sent would be with
// the body as it is.
func Fit(body interface{ Shorten(n int) }, most int, size func() (int, error)) error {
	for n := 20_000; ; n /= 2 {
		now, err := size()
		if err != nil || now <= most || n == 0 {
			return err
		}
		body.Shorten(n)
	}
}

// FitAlone shortens a body that is sent without anything around it until it is small enough.
func FitAlone(body interface{ Shorten(n int) }, most int) error {
	return Fit(body, most, func() (int, error) {
		b, err := json.Marshal(body)
		return len(b), err
	})
}

// Shorten cuts all texts to about n characters, and keeps the last n/5 of the earlier steps.
func (r *Result) Shorten(n int) {
	cutAll(n, &r.Task, &r.Reply)
	cutAll(4*n, r.Answer)
	r.Question.Shorten(2 * n)
	r.Error.shorten(n)
	r.Logs = r.Logs[max(len(r.Logs)-n/5, 0):]
	for i := range r.Logs {
		r.Logs[i].shorten(n)
	}
	if r.Final != nil {
		r.Final.shorten(n)
	}
	r.Notes = noted(r.Notes, "long texts and early steps are left out; on the server, "+
		"`taploop sessions show "+r.SessionID+"` has all of it")
}

func (s *Step) shorten(n int) {
	cutAll(n, &s.Caption, &s.Line)
	s.Action = cutJSON(s.Action, n)
}

func (f *Failure) shorten(n int) {
	if f != nil {
		cutAll(n, &f.Message, &f.Hint)
	}
}

// Shorten cuts the texts, the answer aside.
func (b *Inquiry) Shorten(n int) {
	b.Question.Shorten(n)
	if b.Settled != nil {
		cutAll(n, &b.Settled.Answer)
	}
	b.Notes = noted(b.Notes, "long texts are left out")
}

// Shorten cuts the questions' texts, and keeps the first 3n of them.
func (b *Pending) Shorten(n int) {
	b.Questions = b.Questions[:min(len(b.Questions), 3*n)]
	for i := range b.Questions {
		b.Questions[i].Shorten(n)
	}
	b.Notes = noted(b.Notes, "long texts are left out; a call about one question shows more")
}

// Shorten cuts the sessions' texts.
func (b *Sessions) Shorten(n int) {
	for i := range b.Sessions {
		s := &b.Sessions[i]
		cutAll(n, &s.Task, s.Answer)
		s.Question.Shorten(n)
	}
}

func noted(notes []string, note string) []string {
	if slices.Contains(notes, note) {
		return notes
	}
	return append(slices.Clip(notes), note)
}
