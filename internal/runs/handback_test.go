package runs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// A person who takes over what a program had taken over is not sent away by it any more.
func TestAPersonTakesOverWhatAProgramHadTaken(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap forever").Session.ID
		time.Sleep(2500 * time.Millisecond)
		for _, authority := range []string{inquiry.AuthorityToken, inquiry.AuthorityHumanToken,
			inquiry.AuthorityToken} {
			_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Takeover,
				By: runs.Actor{Channel: "http", Authority: authority}})
			require.NoError(t, err)
		}
		require.True(t, w.stands(id).Question.ForPeople())
		back := &inquiry.Reply{Type: inquiry.TypeDone, Authority: inquiry.AuthorityToken}
		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id, Reply: back})
		require.Equal(t, runs.Forbidden, runs.CodeOf(err), "%v", err)
		back.Authority = inquiry.AuthorityHumanToken
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id, Reply: back})
		require.NoError(t, err)
		_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
		require.NoError(t, err)
	})
}

// What a person has taken over only a person hands back, whatever the run did then; what a program
// or the model of the phone began, programs hand back as well.
func TestAPersonsTakeoverIsHandedBackByPeopleOnly(t *testing.T) {
	authorities := map[string]bool{inquiry.AuthorityHumanToken: true,
		inquiry.AuthorityClientUI: true, inquiry.AuthorityLocalOperator: true,
		inquiry.AuthorityToken: false, inquiry.AuthorityClientModel: false, "": false}
	for _, task := range []string{"tap forever", "ask tap", "askhand tap"} {
		for beginner, person := range authorities {
			bubble(t, func(t *testing.T, w *fixture) {
				id := w.start(task).Session.ID
				time.Sleep(2500 * time.Millisecond)
				st, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id,
					Mode: runs.Takeover, By: runs.Actor{Channel: "http", Authority: beginner}})
				require.NoError(t, err)
				require.Equal(t, store.WaitingTakeover, st.Run.State)
				require.Equal(t, person, st.Question.ForPeople(), "%s %s", task, beginner)
				asks, why := "A program has asked for something to be done on the phone by hand.",
					"the phone was taken over"
				if person {
					asks, why = "The phone is in a person's hands.",
						"a person has taken the phone over"
				}
				if task != "askhand tap" { // which was handed over before
					require.Equal(t, asks, st.Question.Text, "%s %s", task, beginner)
				}
				for _, q := range w.questions(id) {
					if q.Status == inquiry.Withdrawn {
						require.Equal(t, why, q.Resolution.Why, "%s %s", task, beginner)
					}
				}

				for _, typ := range []inquiry.Type{inquiry.TypeDone, inquiry.TypeCouldNot,
					inquiry.TypeDecline} {
					if !person {
						break
					}
					_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id,
						Reply: &inquiry.Reply{Type: typ, Authority: inquiry.AuthorityToken}})
					require.Equal(t, runs.Forbidden, runs.CodeOf(err), "%s: %v", typ, err)
					require.ErrorContains(t, err, "only a person hands it back")
					require.Equal(t, store.WaitingTakeover, w.stands(id).Run.State)
				}
				by := inquiry.AuthorityToken
				if person {
					by = inquiry.AuthorityHumanToken
				}
				_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id,
					Reply: &inquiry.Reply{Type: inquiry.TypeDone, Authority: by}})
				require.NoError(t, err)
				_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
				require.NoError(t, err)
			})
		}
	}
}
