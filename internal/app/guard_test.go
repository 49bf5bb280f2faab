package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

func TestOnlyWhatPeopleSayToARunIsTheirs(t *testing.T) {
	dir := storetest.Dir(t)
	db, err := store.Open(t.Context(), dir, storetest.On(t, dir, nil))
	require.NoError(t, err)
	defer db.Close()
	human, program := inquiry.AuthorityHumanToken, inquiry.AuthorityToken
	for i, e := range []store.AuditEntry{
		{Event: store.AuditSaid, RunID: "r", Authority: human, Text: "a message"},
		{Event: store.AuditSaid, RunID: "r", Authority: program, Text: "a program's"},
		{Event: store.AuditSaid, RunID: "other", Authority: human, Text: "to another run"},
		{Event: store.AuditAnswered, RunID: "r", Authority: human, Answer: "an answer"},
		{Event: store.AuditAnswered, RunID: "r", Authority: human, Answer: inquiry.Masked},
		{Event: store.AuditAnswered, RunID: "r", Authority: human, Answer: "a model's draft",
			Text: "sent the unedited draft of a model"},
		{Event: store.AuditAnswered, RunID: "r", Authority: human, Answer: `{"type":"edit"}`},
		{Event: store.AuditAnswered, RunID: "r", Authority: inquiry.AuthorityAgent, Answer: "no"},
		{Event: store.AuditAsked, RunID: "r", Authority: human, Text: "a question"},
	} {
		e.SessionID, e.At = "s", time.Unix(int64(1000+i), 0)
		require.NoError(t, db.Audit.Append(t.Context(), e))
	}
	said, err := saidTo(db, store.Run{ID: "r", SessionID: "s"})(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a message", "an answer"}, said)
}

func TestAGuardThatIsOffAsksNoJudge(t *testing.T) {
	for env, asks := range map[string]bool{"": true, "TAPLOOP_GUARD_JUDGE=always": true,
		"TAPLOOP_GUARD_JUDGE=off": false, "TAPLOOP_GUARD_ENABLED=false": false} {
		s := &Settings{Options: config.Options{
			Environ: []string{"XDG_DATA_HOME=" + t.TempDir(), env}}}
		require.NoError(t, s.Load(), env)
		var d Parts
		var err error
		d.labels, err = NewModels(s).labeller(new(Policies), &d)
		require.NoError(t, err, env)
		d.Store = new(store.Store)
		require.Equal(t, asks, judging(s, &d)() != nil, env)
	}
}
