package inquiry_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// everyKind is a question of each kind, and how one is asked that wants a secret.
var everyKind = map[string]func() inquiry.Question{
	"info":    func() inquiry.Question { return inquiry.Question{Kind: inquiry.KindInfo} },
	"inquiry": func() inquiry.Question { return inquiry.Question{Kind: inquiry.KindInquiry} },
	"secret":  func() inquiry.Question { return inquiry.Question{Secret: true} },
	"form": func() inquiry.Question {
		return inquiry.Question{Body: &inquiry.Form{Fields: []inquiry.Field{{Name: "day",
			Type: inquiry.TextField}}}}
	},
	"takeover": func() inquiry.Question { return inquiry.Question{Kind: inquiry.KindTakeover} },
	"approval": func() inquiry.Question {
		q := approval()
		inquiry.As[inquiry.Approval](q).Severity = inquiry.Routine
		return q
	},
}

// everyChannel is the authority of a reply through each of the channels.
var everyChannel = map[string]string{
	inquiry.ChannelMCP:         inquiry.AuthorityClientModel,
	inquiry.ChannelElicit:      inquiry.AuthorityClientUI,
	inquiry.ChannelHTTP:        inquiry.AuthorityToken,
	inquiry.ChannelPage:        inquiry.AuthorityHumanToken,
	inquiry.ChannelConsole:     inquiry.AuthorityLocalOperator,
	inquiry.ChannelCommandLine: inquiry.AuthorityLocalOperator,
}

// TestNoAnswerInTimeIsWhatSilenceIs compares a reply that says that no answer comes in time with
// the silence that comes to the end of that time, for each kind and channel.
func TestNoAnswerInTimeIsWhatSilenceIs(t *testing.T) {
	for kind, question := range everyKind {
		for _, silence := range []inquiry.OnTimeout{"", inquiry.Pause, inquiry.AskModel,
			inquiry.GoOn, inquiry.GiveUp, inquiry.Default, inquiry.RejectAll} {
			for channel, authority := range everyChannel {
				synctest.Test(t, func(t *testing.T) {
					name := fmt.Sprint(kind, " ", silence, " ", channel)
					b := judge(inquiry.Options{})
					q := question()
					q.Text, q.OnTimeout = "which day?", silence
					if silence == inquiry.Default {
						q.DefaultAnswer = "Mon"
					}
					if kind == "form" {
						q.DefaultAnswer = `{"day":"Mon"}`
					}
					told, err := b.Open(t.Context(), q)
					if err != nil { // silence cannot mean that here
						require.ErrorIs(t, err, inquiry.ErrInvalid, name)
						return
					}
					silent := ask(t, b, q)
					heard := b.Subscribe()
					defer heard.Close()
					r := inquiry.Reply{ID: "r1", Type: inquiry.TypeTimeout, Channel: channel,
						Authority: authority, By: "Ann"}

					res, err := b.Resolve(t.Context(), told.ID, r)
					require.NoError(t, err, name)
					time.Sleep(10 * time.Minute)
					require.NoError(t, b.Sweep(t.Context(), time.Now()))
					want, err := b.Get(t.Context(), silent.ID)
					require.NoError(t, err)

					got := res.Question
					require.Equal(t, want.Status, got.Status, name)
					first, err := heard.Next(t.Context())
					require.NoError(t, err)
					require.Equal(t, told.ID, first.Question.ID, name)
					if want.Open() {
						require.Equal(t, inquiry.Overdue, first.Type, name)
						require.Equal(t, got.AskedAt, got.AttentionUntil, "it is over")
						_, err = b.Resolve(t.Context(), told.ID, r)
						require.NoError(t, err, "the same again")
						return
					}
					require.Equal(t, want.Resolution.Type, got.Resolution.Type, name)
					require.Equal(t, want.Resolution.Response, got.Resolution.Response, name)
					require.Equal(t, "Ann through "+channel, got.Resolution.Who())
					res, err = b.Resolve(t.Context(), told.ID, r)
					require.NoError(t, err, name)
					require.True(t, res.Replayed, "the same again")
				})
			}
		}
	}
}

// TestWhatIsLeftToTheOneWhoAsks has each kind and channel: a question may be left, but no action,
// nothing that a person does by hand, and no secret.
func TestWhatIsLeftToTheOneWhoAsks(t *testing.T) {
	for kind, question := range everyKind {
		for channel, authority := range everyChannel {
			b := judge(inquiry.Options{})
			q := question()
			q.Text = "which day?"
			q = ask(t, b, q)
			r := inquiry.Reply{ID: "r1", Type: inquiry.TypeDelegate, Channel: channel,
				Authority: authority}

			res, err := b.Resolve(t.Context(), q.ID, r)

			if refused := map[string]string{
				"secret": `a secret cannot be left to the agent (want one of ["answer" ` +
					`"decline" "timeout"])`,
				"takeover": `what a person does by hand cannot be left to the agent (want one of ` +
					`["done" "could_not" "answer" "decline" "timeout"])`,
				"approval": `a decision about an action cannot be left to the agent (want one of ` +
					`["decisions" "decline" "timeout"])`,
			}[kind]; refused != "" {
				require.EqualError(t, err, refused)
				now, err := b.Get(t.Context(), q.ID)
				require.NoError(t, err)
				require.True(t, now.Open())
				continue
			}
			require.NoError(t, err, kind)
			require.Equal(t, inquiry.Answered, res.Question.Status)
			require.Equal(t, inquiry.TypeDelegate, res.Question.Resolution.Type)
			res, err = b.Resolve(t.Context(), q.ID, r)
			require.NoError(t, err)
			require.True(t, res.Replayed)
		}
	}
}

func TestWordsAreNotLostWithAReplyThatHasNone(t *testing.T) {
	b := judge(inquiry.Options{})
	q := ask(t, b, inquiry.Question{Body: &inquiry.Ask{Options: []string{"Mon"}}})
	for _, typ := range []inquiry.Type{inquiry.TypeDelegate, inquiry.TypeTimeout} {
		_, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: typ, Response: "Mon"})
		require.ErrorContains(t, err, "has no words, which would be lost")
	}
}

// What only a person decides about is not ended by a program either.
func TestAProgramDoesNotEndAnApprovalOfPeople(t *testing.T) {
	b := judge(inquiry.Options{})
	q := approval()
	inquiry.As[inquiry.Approval](q).Severity = inquiry.Critical
	q.OnTimeout = inquiry.RejectAll
	q = ask(t, b, q)
	_, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeTimeout,
		Authority: inquiry.AuthorityClientModel})
	require.ErrorContains(t, err, "only a person")
	now, err := b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.True(t, now.Open())
}
