package runs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/store"
)

// Which keys of a pad were pressed is in no step, event or file: neither as a place nor in words.
func TestTheKeysOfAPINAreNotWrittenDown(t *testing.T) {
	for name, task := range map[string]string{
		"at once":               "key:4 key:8 key:2 key:1 tap",
		"each with an approval": "key:4 key:8 key:2 key:1 tap consent",
	} {
		t.Run(name, func(t *testing.T) {
			var dir string
			bubble(t, func(t *testing.T, w *fixture) {
				dir = w.dir
				h := w.phones.phones["A"]
				h.pad = true
				st := w.wait(w.start(task).Session.ID)
				for st.Run.State == store.WaitingApproval {
					asked, err := json.Marshal(st.Question)
					require.NoError(t, err)
					for _, key := range []string{"4", "8", "2", "1"} {
						requireNoKey(t, string(asked), key)
					}
					w.close() // the approval comes after a restart
					w.begin()
					st = w.decide(st.Session.ID, yes)
				}
				require.Equal(t, store.Completed, st.Run.State)
				require.Equal(t, []string{"tap 4", "tap 8", "tap 2", "tap 1", "tap"}, h.done())

				steps, err := w.store.Steps(w.ctx(), st.Session.ID, 0)
				require.NoError(t, err)
				for _, s := range steps[1:4] {
					d, first := s.Proposal.Decision, steps[0].Proposal.Decision
					require.True(t, d.Secret)
					require.Nil(t, d.Key)
					require.Equal(t, first.Action, d.Action, "all keys have one place")
					require.Equal(t, "Press a key of the secret. Which one is not written down.",
						d.Explain)
					require.Equal(t, actions.Decision{Action: d.Action, Explain: d.Explain,
						Secret: true}, d)
					require.Equal(t, d.Explain, s.Proposal.Tries[0].Reply)
				}
				written := fmt.Sprintf("%+v %s %+v", steps, w.facts(), w.events)
				for _, key := range []string{"4", "8", "2", "1"} {
					requireNoKey(t, written, key)
				}
				kept, err := w.store.Secrets.Of(w.ctx(), st.Run.ID)
				require.NoError(t, err)
				require.Empty(t, kept)
			})
			for _, key := range []string{"4", "8", "2", "1"} {
				at := keyAt(key)
				require.Empty(t, found(t, dir, fmt.Sprintf(`{"x":%v,"y":%v}`, at.X, at.Y)), key)
			}
			require.Empty(t, found(t, dir, "4 8 2 1"))
		})
	}
}

func requireNoKey(t *testing.T, written, key string) {
	t.Helper()
	at := keyAt(key)
	for _, tells := range []string{fmt.Sprintf(`{"x":%v,"y":%v}`, at.X, at.Y), fmt.Sprint(at),
		"of the PIN"} {
		require.False(t, strings.Contains(written, tells), "%q, of %s", tells, key)
	}
}

// Where nothing is listed, the model's words tell what its touch is for.
func TestAKeyOfWhichNothingIsListedIsASecretByItsWords(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("key:4 tap").Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		steps, err := w.store.Steps(w.ctx(), st.Session.ID, 0)
		require.NoError(t, err)
		require.True(t, steps[0].Proposal.Secret)
		requireNoKey(t, fmt.Sprintf("%+v", steps), "4")
		require.False(t, steps[1].Proposal.Secret)
	})
}
