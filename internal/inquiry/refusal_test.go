package inquiry_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

func TestARefusedReplyHasACodeAndARemedy(t *testing.T) {
	now := time.Now()
	b := inquiry.NewBroker(new(inquirytest.Memory),
		&inquiry.Options{MaxAnswer: 20, Now: func() time.Time {
			return now
		}})
	ofARun := inquiry.Question{RunID: "run", SessionID: "session"}
	answer := func(q inquiry.Question) {
		_, err := b.Resolve(t.Context(), q.ID,
			inquiry.Reply{ID: "first", Response: "Tuesday", Channel: "page", By: "Ann"})
		require.NoError(t, err)
	}
	withdraw := func(q inquiry.Question) {
		require.NoError(t, b.Withdraw(t.Context(), q.ID, "the run was stopped"))
	}
	lapse := func(q inquiry.Question) { require.NoError(t, b.Lapse(t.Context(), q.ID)) }
	expire := func(inquiry.Question) { now = now.Add(48 * time.Hour) }
	nothing := func(inquiry.Question) {}
	for name, c := range map[string]struct {
		q      inquiry.Question
		before func(inquiry.Question)
		reply  inquiry.Reply
		code   inquiry.Code
		status inquiry.Status // of the question that comes with the refusal
		hint   string
	}{
		"not an option": {inquiry.Question{Body: &inquiry.Ask{Options: []string{"a"}}}, nothing,
			reply("b"),
			inquiry.CodeInvalid, "", "still open"},
		"too long": {ofARun, nothing, reply("012345678901234567890"),
			inquiry.CodeTooLarge, "", "still open"},
		"an id used again": {ofARun, answer, inquiry.Reply{ID: "first", Response: "no"},
			inquiry.CodeReused, "", "a reply id of its own"},
		"answered, of a run": {ofARun, answer, reply("no"), inquiry.CodeResolved,
			inquiry.Answered, "that answer counts"},
		"answered, by itself": {inquiry.Question{}, answer, reply("no"), inquiry.CodeResolved,
			inquiry.Answered, "the answer that won"},
		"withdrawn, of a run": {ofARun, withdraw, reply("no"), inquiry.CodeGone,
			inquiry.Withdrawn, "see how the session stands"},
		"withdrawn, by itself": {inquiry.Question{}, withdraw, reply("no"), inquiry.CodeGone,
			inquiry.Withdrawn, "ask again"},
		"nobody was left": {ofARun, lapse, reply("no"), inquiry.CodeGone, inquiry.TimedOut,
			"see how the session stands"},
		"the question ran out": {ofARun, expire, reply("no"), inquiry.CodeGone, inquiry.Expired,
			"see how the session stands"},
		"ran out, by itself": {inquiry.Question{}, expire, reply("no"), inquiry.CodeGone,
			inquiry.Expired, "nothing was taken"},
		"a secret was answered": {inquiry.Question{Secret: true}, answer, reply("no"),
			inquiry.CodeResolved, inquiry.Answered, "won"},
	} {
		t.Run(name, func(t *testing.T) {
			q := ask(t, b, c.q)
			c.before(q)
			_, err := b.Resolve(t.Context(), q.ID, c.reply)
			require.Error(t, err)
			r, refused := inquiry.RefusalOf(fmt.Errorf("replying: %w", err))
			require.True(t, refused)
			require.Equal(t, c.code, r.Code)
			require.Contains(t, r.Hint, c.hint)
			require.Equal(t, c.status != "", inquiry.Late(err))
			require.Equal(t, c.code == inquiry.CodeInvalid || c.code == inquiry.CodeTooLarge,
				r.Invalid != nil)
			if c.status == "" {
				require.Nil(t, r.Question)
				return
			}
			require.Equal(t, c.status, r.Question.Status)
			require.Equal(t, c.code == inquiry.CodeGone, errors.Is(err, inquiry.ErrGone))
			require.Equal(t, !c.q.Secret && c.status == inquiry.Answered,
				r.Question.Resolution.Response.Reveal() == "Tuesday")
		})
	}
	for _, err := range []error{nil, io.EOF, inquiry.ErrNotFound, inquiry.ErrApplied} {
		_, refused := inquiry.RefusalOf(err)
		require.False(t, refused, "%v", err)
	}
}

// A program that may not decide is told who does, and gets no command line that would. The audit has
// what it tried.
func TestWhoMayNotDecideIsToldWhoDoes(t *testing.T) {
	kept := new(inquirytest.Memory)
	b := inquiry.NewBroker(kept, nil)
	hand := ask(t, b, inquiry.Question{Kind: inquiry.KindTakeover,
		Body: &inquiry.Takeover{PeopleOnly: true}})
	for _, id := range []string{ask(t, b, approval()).ID, hand.ID} {
		_, err := b.Resolve(t.Context(), id, inquiry.Reply{Type: inquiry.TypeDecline,
			Response: "no", Authority: inquiry.AuthorityToken, By: "bot", Channel: "http"})
		r, refused := inquiry.RefusalOf(err)
		require.True(t, refused)
		require.Contains(t, r.Hint, "your user decides, on the inbox page or at the terminal")
		require.NotRegexp(t, "taploop|--|"+id, r.Hint+err.Error())
	}
	tried := kept.Forbidden()
	require.Len(t, tried, 2)
	for _, r := range tried {
		require.Equal(t, inquiry.TypeDecline, r.Type)
		require.Equal(t, "no", r.Response.String())
		require.Equal(t, "bot through http (token)", r.Authorized())
		require.False(t, r.At.IsZero())
	}
}

func TestWhoSettledAQuestionInWords(t *testing.T) {
	for want, r := range map[string]inquiry.Resolution{
		"Ann through page (human_token)": {By: "Ann", Channel: "page", Authority: "human_token"},
		"timer":                          {Channel: "timer"},
		"somebody":                       {},
	} {
		require.Equal(t, want, r.Authorized())
	}
}
