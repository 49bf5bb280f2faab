package terminal_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
	"github.com/taploop/taploop/internal/terminal"
)

// typist types lines, and keeps the prompts that it was shown.
type typist struct{ types, shown []string }

func (p *typist) Ask(_ context.Context, prompt string, _ bool) (string, error) {
	p.shown = append(p.shown, prompt)
	if len(p.types) == 0 {
		return "", io.EOF
	}
	line := p.types[0]
	p.types = p.types[1:]
	return line, nil
}

func TestAKindWithoutWordsIsAskedByWhatItOffers(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), nil)
	q, err := b.Open(t.Context(), inquiry.Question{Text: "Agreed?",
		Body: &vote.Vote{Motion: "tea"}})
	require.NoError(t, err)
	p := &typist{types: []string{"/approve", "/nay too late"}}

	err = terminal.New(p, "en").Ask(t.Context(), b, q, nil, nil)

	require.NoError(t, err)
	require.Equal(t, "\nThe agent asks:\n  Agreed?\n  motion: tea\n/aye, /nay WHY: ", p.shown[0])
	require.Contains(t, p.shown[1], "another kind of question\n/aye, /nay WHY: ")
	q, err = b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "nay: too late", q.Resolution.Response.Reveal())
}
