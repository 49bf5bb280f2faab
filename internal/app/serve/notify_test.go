package serve

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/store"
)

// A process that dies between the end of a run and its message leaves the message to the next one.
// One that lives sends it under the same id, so that nobody is told twice.
func TestANoticeIsStoredWithTheEndOfItsRun(t *testing.T) {
	got := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got <- r.Header.Get("webhook-id")
	}))
	defer hook.Close()
	db, err := store.Open(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	defer db.Close()
	process := func() *Service {
		n, err := notify.New(&notify.Options{Ledger: ledger{db.Audit}, Events: []string{"run.*"},
			Questions: inquiry.NewBroker(db.Questions, &inquiry.Options{}),
			Webhooks: []notify.Webhook{{URL: hook.URL, Secret: "whsec_" +
				base64.StdEncoding.EncodeToString(make([]byte, 32))}}})
		require.NoError(t, err)
		s := &Service{Parts: &app.Parts{Store: db}}
		s.notifier.Store(n)
		s.noteRuns(n)
		return s
	}
	end := func(serial string) store.Run {
		_, r, err := db.Begin(t.Context(), store.Session{Serial: serial}, store.Run{Task: "x"})
		require.NoError(t, err)
		_, err = db.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
		require.NoError(t, err)
		r, err = db.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Completed})
		require.NoError(t, err)
		return r
	}
	process()
	end("emu-1")
	alive := process()
	second := end("emu-2")
	alive.tellRun(second, "emu-2")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- alive.notifier.Load().Run(ctx) }()
	ids := []string{<-got, <-got}
	require.NotEqual(t, ids[0], ids[1])
	alive.tellRun(end("emu-3"), "emu-3") // comes after all of the two before
	require.NotContains(t, ids, <-got)
	cancel()
	<-ended
}

// A server that ends has withdrawn its file by the time that it tells of the runs which it paused.
func TestTheLinkOfANoticeIsThatOfTheServerThatTells(t *testing.T) {
	dir := t.TempDir()
	conf := &config.Loaded{}
	conf.DataDir = dir
	set := &app.Settings{Conf: conf}
	s := &Service{Parts: &app.Parts{URL: "http://127.0.0.1:8702"}}
	require.Equal(t, "http://127.0.0.1:8702", s.pageURL(set))
	other, err := publishServer(dir, "http://127.0.0.1:9")
	require.NoError(t, err)
	defer other.remove()
	require.Equal(t, "http://127.0.0.1:8702", s.pageURL(set))
	s.URL = "" // on stdio
	require.Equal(t, "http://127.0.0.1:9", s.pageURL(set))
	conf.HTTP.URL = "https://phones.example"
	require.Equal(t, "https://phones.example", s.pageURL(set))
}

// Why the agent gave up is no answer of the run: it is told without notify.answers.
func TestAnAbortIsToldWithTheReasonOfTheAgent(t *testing.T) {
	aborted := runNotice(store.Run{State: store.Aborted, StopReason: agentloop.TaskAborted,
		Answer: "the shop is closed"}, "emu-1")
	require.Equal(t, notify.RunFailed, aborted.Event)
	require.Equal(t, "the shop is closed", aborted.Why)
	require.Empty(t, aborted.Answer)
	done := runNotice(store.Run{State: store.Completed, Answer: "7:30"}, "emu-1")
	require.Equal(t, "7:30", done.Answer)
	require.Empty(t, done.Why)
	for hidden, why := range map[bool]string{false: "the shop is closed", true: ""} {
		n, err := notify.New(&notify.Options{Events: []string{"run.*"}, HideText: hidden})
		require.NoError(t, err)
		sent, is := n.Chosen(aborted)
		require.True(t, is)
		require.Equal(t, why, sent.Why)
	}
}
