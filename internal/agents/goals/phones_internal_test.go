package goals

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// listed are phones that are only listed.
type listed struct {
	runs.Phones
	all []runs.PhoneInfo
}

func (l listed) List(context.Context) ([]runs.PhoneInfo, error) { return l.all, nil }

// A phone that somebody has, whoever it is, comes behind the idle ones, and one that is closed to
// new runs is none.
func TestAgentsTakeAnIdlePhoneFirst(t *testing.T) {
	db, err := store.Open(t.Context(), storetest.Dir(t), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	m := runs.New(&runs.Options{Store: db})
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	p := &phones{work: &work{Options: &Options{Store: db, Phones: listed{all: []runs.PhoneInfo{
		{Serial: "bob's", Usable: true}, {Serial: "own", Usable: true},
		{Serial: "closed", Usable: true, Closed: true}, {Serial: "off"},
		{Serial: "idle", Usable: true}}}}, goal: runs.Goal{Runs: m},
		life: runs.Life{Session: store.Session{Client: "ann"}}}}
	for client, serial := range map[string]string{"bob": "bob's", "ann": "own"} {
		_, _, err := db.Begin(t.Context(), store.Session{Serial: serial, Client: client},
			store.Run{Task: "tap", Leased: true})
		require.NoError(t, err)
	}
	usable, err := p.usable(t.Context(), "a key")
	require.NoError(t, err)
	require.Equal(t, []string{"idle", "bob's", "own"}, usable)
}
