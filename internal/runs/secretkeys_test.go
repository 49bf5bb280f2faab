package runs_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
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
				written := fmt.Sprintf("%+v %s %+v", steps, w.facts(), w.events) +
					w.shown(st.Session.ID, len(steps))
				for _, key := range []string{"4", "8", "2", "1"} {
					requireNoKey(t, written, key)
				}
				p := steps[4].Proposal.Action.Traits().Points[0]
				require.True(t, strings.Contains(written, fmt.Sprintf("tap (%.3f,%.3f)", p.X, p.Y)),
					"where it is no key it is told")
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

// shown is all that the page's routes and the exports tell of a session of so many steps.
func (w *fixture) shown(id string, steps int) string {
	w.t.Helper()
	dir := w.t.TempDir()
	server := web.New(&web.Options{Questions: w.manager.Broker(), Sessions: w.store,
		Answers: w.store.Answers, Grants: w.store.Grants, BaseURL: "http://localhost",
		Logins:    web.OpenLogins(filepath.Join(dir, "logins.json")),
		Authorize: func(*http.Request) (string, error) { return "boss", nil },
		Rights:    func(string) usecase.Rights { return usecase.Rights{All: true, Decides: true} }})
	defer func() { require.NoError(w.t, server.Close()) }()
	session := "/v1/sessions/" + id
	paths := []string{"/v1/sessions", session, session + "/steps", session + "/trajectory",
		session + "/export", "/v1/inquiries"}
	for n := range steps {
		paths = append(paths, fmt.Sprintf("%s/steps/%d", session, n+1))
	}
	all := w.exported(id)
	for _, path := range paths {
		got := httptest.NewRecorder()
		server.ServeHTTP(got, httptest.NewRequestWithContext(w.ctx(), "GET",
			"http://localhost"+path, nil))
		require.Equal(w.t, http.StatusOK, got.Code, "%s %s", path, got.Body)
		all += got.Body.String()
	}
	require.NoError(w.t, export.Gelab(w.ctx(), dir, w.store, id))
	require.NoError(w.t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all += string(b)
		return err
	}))
	require.Contains(w.t, all, "Which one is not written down")
	return all
}

func requireNoKey(t *testing.T, written, key string) {
	t.Helper()
	at := keyAt(key)
	for _, tells := range []string{fmt.Sprintf(`{"x":%v,"y":%v}`, at.X, at.Y), fmt.Sprint(at),
		fmt.Sprintf("(%.2f,%.2f)", at.X, at.Y), fmt.Sprintf("(%.3f,%.3f)", at.X, at.Y),
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
