package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// A run stands for a person's words only if a person has said them, in whichever life.
func TestWhoseWordsARunStandsFor(t *testing.T) {
	for authority, person := range map[string]bool{inquiry.AuthorityLocalOperator: true,
		inquiry.AuthorityHumanToken: true, inquiry.AuthorityClientUI: true,
		inquiry.AuthorityClientModel: false, inquiry.AuthorityToken: false,
		inquiry.AuthorityAgent: false, "": false} {
		t.Run(authority, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				var seen []string
				w.again(func(o *runs.Options) {
					o.NewGate = func(_ store.Session, r store.Run) agentloop.Gate {
						seen = append(seen, runs.Wish(r))
						return consent{}
					}
				})
				by := runs.Actor{Authority: authority}
				want := func(words string) string {
					if person {
						return words
					}
					return ""
				}
				st, err := w.manager.Start(t.Context(), runs.StartRequest{Task: "tap", By: by})
				require.NoError(t, err)
				w.wait(st.Session.ID)
				w.decide(st.Session.ID, yes)
				_, err = w.manager.Continue(t.Context(), runs.ContinueRequest{SessionID: st.Session.ID,
					Task: "tap tap", By: by})
				require.NoError(t, err)
				w.wait(st.Session.ID)
				require.Equal(t, []string{want("tap"), want("tap"), want("tap tap")}, seen)
			})
		})
	}
}
