package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

func TestWhichPhonesAreWanted(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P", "Q", "R")
		worker := w.machine(all, "P", "Q", "R")
		defer worker.close()
		m := worker.opts.Phones.(*machine)
		m.labels = map[string]runs.PhoneInfo{
			"P": {Serial: "P", Usable: true, Model: "Pixel 8", SDK: 34, Apps: []string{"com.shop"},
				Labels: map[string]string{"site": "berlin"}},
			"Q": {Serial: "Q", Usable: true, Model: "Galaxy", SDK: 29,
				Labels: map[string]string{"site": "paris"}},
			"R": {Serial: "R", Usable: true, Model: "Pixel 9", SDK: 35, Closed: true},
		}
		start := func(r runs.StartRequest) (string, error) {
			r.Task, r.KeepEnvironment = "tap", true
			st, err := worker.manager.Start(w.ctx(), r)
			if err == nil {
				worker.wait(st.Session.ID)
			}
			return st.Session.Serial, err
		}
		for want, asked := range map[string][]runs.StartRequest{
			"P": {{Phone: runs.Wanted{"api": ">=30"}}, {Serial: "model=Pixel*"}, {Serial: "api=34"},
				{Phone: runs.Wanted{"site": "berlin", "api": "<99"}}, {Serial: "app=com.shop"},
				{Phone: runs.Wanted{"device_id": "P"}}},
			"Q": {{Serial: "api<=29"}, {Serial: "api < 30 , site = paris"}, {Phone: runs.Wanted{"api": "29"}}},
		} {
			for _, r := range asked {
				got, err := start(r)
				require.NoError(t, err, "%v", r)
				require.Equal(t, want, got, "%v", r)
			}
		}
		for _, r := range []runs.StartRequest{{Serial: "site=rome"}, {Serial: "api>34"},
			{Phone: runs.Wanted{"colour": "*"}}, {Serial: "app=com.bank"}} {
			_, err := start(r)
			require.Equal(t, runs.DeviceNotFound, runs.CodeOf(err), "%v: %v", r, err)
			require.Contains(t, hint.Of(err), "site: berlin or paris", "the labels that there are")
			require.NotContains(t, hint.Of(err), "Pixel 9", "of a phone that can be used")
		}
		for _, r := range []runs.StartRequest{{Serial: "api>=new"}, {Serial: "site=berlin,x"},
			{Serial: "site="}, {Serial: "model=[", Phone: nil}, {Phone: runs.Wanted{"api": "~3"}},
			{Serial: "P", Phone: runs.Wanted{"api": "34"}}} {
			_, err := start(r)
			require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), "%v: %v", r, err)
			require.NotEmpty(t, hint.Of(err), "%v", r)
		}
	})
}

func TestAnyPhoneIsOneThatIsFree(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P", "Q")
		worker := w.machine(all, "P", "Q")
		defer worker.close()
		anyOf := runs.StartRequest{Task: "ask tap", Serial: runs.AnyPhone, Client: "me"}
		used := map[string]string{}
		for range 2 {
			st, err := worker.manager.Start(w.ctx(), anyOf)
			require.NoError(t, err)
			used[st.Session.Serial] = st.Session.ID
		}
		require.Len(t, used, 2)
		_, err := worker.manager.Start(w.ctx(), anyOf)
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))
		for _, id := range used {
			require.ErrorContains(t, err, id, "it says who has them")
		}
		anyOf.Queue = true
		st, err := worker.manager.Start(w.ctx(), anyOf)
		require.NoError(t, err)
		require.Equal(t, store.Queued, st.Run.State)
		for _, id := range used {
			_, err := worker.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
			require.NoError(t, err)
		}
		require.Equal(t, store.WaitingReply, worker.wait(st.Session.ID).Run.State)
		require.NoError(t, worker.manager.WithdrawAll(w.ctx(), st.Session.ID, "over"))

		cordoned := store.ClosedPhone + "P"
		_, err = w.store.Farm.SetClosed(w.ctx(), cordoned, true,
			store.AuditEntry{Event: store.AuditCordoned})
		require.NoError(t, err)
		_, err = worker.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Serial: "P"})
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))
		require.ErrorContains(t, err, "cordoned")
	})
}
