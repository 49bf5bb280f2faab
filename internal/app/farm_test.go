package app

import (
	"cmp"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// shelf is phones that can be seen and not opened.
type shelf []string

func (s shelf) List(context.Context) (list []runs.PhoneInfo, err error) {
	for _, serial := range s {
		serial, at, _ := strings.Cut(serial, " at ")
		list = append(list, runs.PhoneInfo{Serial: serial, Usable: true, State: "device",
			Addresses: []string{cmp.Or(at, serial)}})
	}
	return list, nil
}

func (s shelf) Open(context.Context, string) (runs.Phone, error) {
	return nil, runs.Refuse(runs.DeviceOffline, "", "it is only shown")
}

// member is a machine of the farm.
func member(t *testing.T, dir string, o *store.Options, conf config.Farm, phones shelf) *Farm {
	db, err := store.Open(t.Context(), dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	host, err := device.NewHost(&device.Options{Server: "127.0.0.1:1", StartsNone: true})
	require.NoError(t, err)
	f := &Farm{local: phones, host: host, db: db, log: slog.New(slog.DiscardHandler),
		conf: conf}
	require.NoError(t, f.announce(t.Context()))
	return f
}

func TestWhatPeopleChangeOfAFarmIsChecked(t *testing.T) {
	dir := storetest.Dir(t)
	f := member(t, dir, storetest.On(t, dir, nil),
		config.Farm{Name: "berlin", Role: config.Both}, shelf{"P", "Q"})
	ann := runs.Actor{Channel: "page", Authority: "human_token", Name: "ann"}.Entry("it is cracked")
	for _, wrong := range []string{"", "R", "p"} {
		err := f.Cordon(t.Context(), wrong, false, ann)
		require.Equal(t, runs.DeviceNotFound, runs.CodeOf(err), "%q: %v", wrong, err)
		require.Contains(t, hint.Of(err), "P, Q")
		require.Error(t, f.Cordon(t.Context(), wrong, true, ann), "it is not cordoned")
	}
	for _, off := range []bool{false, false, true, true} {
		require.NoError(t, f.Cordon(t.Context(), "Q", off, ann))
		list, err := f.List(t.Context())
		require.NoError(t, err)
		require.Equal(t, !off, list[1].Closed)
		require.False(t, list[0].Closed)
	}
	_, err := f.db.Farm.SetClosed(t.Context(), store.ClosedPhone+"gone", true,
		store.AuditEntry{Event: store.AuditCordoned})
	require.NoError(t, err)
	require.NoError(t, f.Cordon(t.Context(), "gone", true, ann), "it is away, and may get tasks again")

	err = f.Drain(t.Context(), "paris", ann)
	require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
	require.Contains(t, hint.Of(err), "berlin")
	require.NoError(t, f.Drain(t.Context(), "berlin", ann))
	drained := 0
	for range 2 {
		require.NoError(t, f.obey(t.Context(), func() { drained++ }))
	}
	require.Equal(t, 1, drained)
	require.True(t, f.Closed())
	log, err := f.db.Audit.List(t.Context(), store.AuditFilter{})
	require.NoError(t, err)
	var did []string
	for _, e := range log {
		did = append(did, string(e.Event)+" "+e.Text+" by "+e.By+" through "+e.Channel)
	}
	require.Equal(t, []string{"cordoned Q: it is cracked by ann through page",
		"uncordoned Q: it is cracked by ann through page", "cordoned  by  through ",
		"uncordoned gone: it is cracked by ann through page",
		"drained berlin: it is cracked by ann through page"}, did, "what changes nothing is no entry")
}

func TestAFrontKnowsWhereAPhoneIsShown(t *testing.T) {
	server := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	o := &store.Options{URL: server.URL("farm")}
	front := member(t, t.TempDir(), o, config.Farm{Name: "front", Role: config.Front}, nil)
	shows := member(t, t.TempDir(), o, config.Farm{Name: "berlin", Role: config.Worker,
		Addr: "https://berlin"}, shelf{"P"})
	member(t, t.TempDir(), o, config.Farm{Name: "paris", Role: config.Worker}, shelf{"Q"})
	for phone, want := range map[string]string{"P": "https://berlin", "Q": "", "R": ""} {
		at, err := front.Away(t.Context(), phone)
		require.NoError(t, err)
		require.Equal(t, want, at, phone)
	}
	shows.states.Store(&map[string]string{"P": "device"})
	at, err := shows.Away(t.Context(), "P")
	require.NoError(t, err)
	require.Empty(t, at, "it is its own")
	_, err = shows.States(t.Context())
	require.Error(t, err, "its ADB server does not answer")
	states, err := front.States(t.Context())
	require.NoError(t, err, "it asks none")
	require.Empty(t, states)
	require.Equal(t, shows.Sign("x"), front.Sign("x"))
	require.NotEqual(t, shows.Sign("x"), front.Sign("y"))
}

// Emulators of several machines have one address in common, and of two equal ones the second gets
// a name of its own.
func TestAPhoneIsOpenedByItsNameBeforeAnAddress(t *testing.T) {
	server := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	o := &store.Options{URL: server.URL("farm")}
	front := member(t, t.TempDir(), o, config.Farm{Name: "front", Role: config.Front}, nil)
	member(t, t.TempDir(), o, config.Farm{Name: "berlin", Role: config.Worker}, shelf{"emu.b at emu"})
	member(t, t.TempDir(), o, config.Farm{Name: "paris", Role: config.Worker},
		shelf{"emu", "R at usb", "S at usb"})
	for name, worker := range map[string]string{"emu": "paris", "emu.b": "berlin"} {
		_, err := front.Open(t.Context(), name)
		var away *runs.ElsewhereError
		require.ErrorAs(t, err, &away, name)
		require.Equal(t, worker, away.Worker)
		require.Equal(t, name, away.Device.ID)
	}
	for _, name := range []string{"usb", ""} {
		_, err := front.Open(t.Context(), name)
		require.Equal(t, runs.DeviceAmbiguous, runs.CodeOf(err), "%q: %v", name, err)
	}
}

// A worker that says what cannot be read, or has died, hides no other.
func TestTheStateOfMachinesHasThoseThatCannotBeReadOrAreGone(t *testing.T) {
	server := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	f := member(t, t.TempDir(), &store.Options{URL: server.URL("farm")},
		config.Farm{Name: "berlin"}, shelf{"P"})
	other := member(t, t.TempDir(), &store.Options{URL: server.URL("farm")},
		config.Farm{Name: "amsterdam"}, nil)
	require.NoError(t, other.db.Farm.Announce(t.Context(),
		store.Worker{Name: "amsterdam", Phones: []byte("{}")}))
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("farm"),
		`INSERT INTO workers (id, name, role, phones, at) VALUES ('x', 'paris', 'worker',
		'[{"Serial":"Q","State":"device","Usable":true}]', `+
			strconv.FormatInt(time.Now().Add(-time.Hour).UnixMilli(), 10)+")"))
	s, err := f.State(t.Context())
	require.NoError(t, err)
	var all []string
	for _, w := range s.Workers {
		for _, p := range append(w.Phones, FarmPhone{State: "none"}) {
			all = append(all, w.Name+" "+p.ID+" "+p.State)
		}
	}
	require.Equal(t, []string{"amsterdam  none", "berlin P device", "berlin  none", "paris Q gone",
		"paris  none"}, all)
	require.NoError(t, f.Cordon(t.Context(), "Q", false, store.AuditEntry{}), "it may come back")
	err = f.Drain(t.Context(), "paris", store.AuditEntry{})
	require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
	require.Equal(t, "name one of those that are up: amsterdam, berlin", hint.Of(err))
	list, err := f.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1, "nobody can use what is gone")
}

// A phone that several machines see has the labels of the one that holds it, and else those of all,
// whoever asks.
func TestAPhoneThatSeveralMachinesSeeHasTheSameLabelsEverywhere(t *testing.T) {
	server := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	on := func(name, role string, labels map[string]string, phones shelf) *Farm {
		return member(t, t.TempDir(), &store.Options{URL: server.URL("farm")}, config.Farm{Name: name,
			Role: role, Labels: labels, Addr: "https://" + name}, phones)
	}
	front := on("a", config.Front, nil, nil)
	rome := on("rome", config.Worker, map[string]string{"site": "rome", "rack": "4"}, shelf{"P", "Q"})
	oslo := on("oslo", config.Both, map[string]string{"site": "oslo", "room": "b"}, shelf{"P"})
	labels := func(want map[string]string, worker string) {
		t.Helper()
		for _, f := range []*Farm{front, rome, oslo} {
			list, err := f.List(t.Context())
			require.NoError(t, err)
			require.Equal(t, "P", list[0].Serial)
			for name, value := range want {
				require.Equal(t, value, list[0].AllLabels()[name], "%s at %s", name, f.conf.Name)
			}
			if f == front {
				require.Equal(t, worker, list[0].Worker)
				require.Equal(t, "https://"+worker, list[0].WorkerURL)
			} else {
				require.Empty(t, list[0].Worker)
				require.Equal(t, f.conf.Name, list[0].AllLabels()["worker"])
			}
		}
	}
	labels(map[string]string{"site": "oslo", "room": "b", "rack": "4"}, "oslo")
	x, r, err := rome.db.Begin(t.Context(), store.Session{Serial: "P"},
		store.Run{Task: "t", State: store.Running})
	require.NoError(t, err)
	require.NoError(t, rome.db.Leases.Take(t.Context(), "P", r.ID))
	labels(map[string]string{"site": "rome", "room": "", "rack": "4"}, "rome")
	s, err := front.State(t.Context())
	require.NoError(t, err)
	shown := map[string]string{}
	for _, w := range s.Workers {
		for _, p := range w.Phones {
			if p.Holder != nil {
				shown[w.Name+" "+p.ID] = p.Holder.SessionID
			}
		}
	}
	require.Equal(t, map[string]string{"rome P": x.ID}, shown, "where it is, and not at both")

	for _, f := range []*Farm{front, rome, oslo} { // who asks for its ADB server
		_, err = f.Lend(t.Context(), "P", rome.db.Owner.ID)
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err), "not here: %v", err)
	}
	oslo.states.Store(&map[string]string{"P": "device"})
	for _, id := range []string{"", oslo.db.Owner.ID, rome.db.Owner.ID} {
		_, err = oslo.Lend(t.Context(), "P", id)
		require.Equal(t, id != rome.db.Owner.ID, runs.CodeOf(err) == runs.DeviceBusy, "%q: %v", id, err)
	}
}
