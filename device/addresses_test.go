package device_test

import (
	"context"
	"encoding/json"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/screen"
)

// An open phone goes on under another address when the one in use is gone, also in the middle of a
// task, and is never another phone.
func TestAnOpenPhoneGoesOnUnderAnotherAddress(t *testing.T) {
	const cable, port, other = "R5CT90ABCDE", "192.168.7.20:5555", "192.168.7.21:41233"
	e := serve(t)
	sh := shell.New(newSimulated(t, small).phone)
	e.Attach(cable, sh)
	e.Attach(port, sh)
	e.Attach("9A8B7C", shell.New(newSimulated(t, small).phone))
	list, err := e.host.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, []string{cable, port}, list[0].Addresses)

	p := e.open(t, cable)
	require.NoError(t, e.SetState(cable, adbserver.StateOffline))
	looked(t, p)
	e.Detach(cable)
	require.NoError(t, p.Tap(t.Context(), screen.Point{X: 0.5, Y: 0.5}))
	e.Detach(port)
	_, err = p.Look(t.Context())
	require.ErrorIs(t, err, screen.ErrDisconnected)
	e.Attach(other, sh)
	looked(t, p)
	require.Equal(t, cable, e.open(t, cable).Info().Serial)
}

func looked(t *testing.T, p *device.Phone) {
	t.Helper()
	look, err := p.Look(t.Context())
	require.NoError(t, err)
	require.NotNil(t, look.Frame)
}

func TestAPhoneWithAProfileThatIsClosedToTheShellOpensItsApps(t *testing.T) {
	e := serve(t)
	with := small
	with.Profile = true
	sim := newSimulated(t, with)
	e.Attach("sandbox-1", shell.New(sim.phone))
	p := e.open(t, "sandbox-1")
	require.NoError(t, p.Launch(t.Context(), "Clock"))
	require.Equal(t, clockApp, sim.phone.Screen.Foreground().Package)
	apps, err := p.Apps(t.Context())
	require.NoError(t, err)
	require.Contains(t, apps, device.App{Package: clockApp, Name: "Clock", System: true})
}

// An unfolded phone has a closed panel, which screencap takes unless it is told another one.
func TestAnUnfoldedPhoneShowsThePanelThatIsOn(t *testing.T) {
	e := serve(t)
	folds := small
	folds.Size, folds.Closed = image.Pt(519, 538), image.Pt(270, 606)
	sim := newSimulated(t, folds)
	e.Attach("fold", shell.New(sim.phone))
	p := e.open(t, "fold")
	for range 2 {
		look, err := p.Look(t.Context())
		require.NoError(t, err)
		require.Equal(t, screen.Size{W: 519, H: 538}, look.Frame.Size())
		require.False(t, look.Frame.Black())
		require.NoError(t, p.Tap(t.Context(), screen.Point{X: 0.5, Y: 0.5}))
	}
}

// Another phone at the address of an open one is noticed by the next look, before it is touched: by
// its serial, or else by what its system was given when it was set up. A phone that has restarted
// is the same one.
func TestAnotherPhoneAtTheSameAddressIsNoticed(t *testing.T) {
	type phone struct{ serial, androidID string }
	const at, id, otherID = "192.168.7.20:5555", "a1b2c3d4e5f60718", "18070f6e5d4c3b2a"
	for name, c := range map[string]struct {
		first, now phone
		same       bool
	}{
		"another serial":       {phone{"R5CT90ABCDE", id}, phone{"R5CT90ABCDF", id}, false},
		"a twin":               {phone{"X-0123", id}, phone{"X-0123", otherID}, false},
		"an emulator":          {phone{"EMULATOR36", id}, phone{"EMULATOR36", otherID}, false},
		"restarted":            {phone{"R5CT90ABCDE", id}, phone{"R5CT90ABCDE", id}, true},
		"a restarted emulator": {phone{"EMULATOR36", id}, phone{"EMULATOR36", id}, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t)
			attach := func(who phone) {
				with := small
				with.Serial = who.serial
				sim := newSimulated(t, with).phone
				sim.Settings.PutSetting("secure", "android_id", who.androidID)
				e.Attach(at, shell.New(sim))
			}
			attach(c.first)
			p := e.open(t, at)
			looked(t, p)
			attach(c.now)
			for range 2 {
				look, err := p.Look(t.Context())
				_, stateErr := p.State(t.Context())
				if c.same {
					require.NoError(t, err)
					require.NoError(t, stateErr)
					continue
				}
				require.ErrorIs(t, err, screen.ErrDisconnected)
				require.ErrorContains(t, err, "another phone")
				require.Nil(t, look.Frame)
				require.ErrorIs(t, stateErr, screen.ErrDisconnected)
			}
		})
	}
}

// marked names phones by their marks, as a memory that several machines share.
type marked struct{ shared bool }

func (marked) SetFormerKeyboard(context.Context, string, string) error { return nil }

func (marked) FormerKeyboard(context.Context, string) (string, error) { return "", nil }

func (marked) SetCaptures(context.Context, string, json.RawMessage) error { return nil }

func (marked) Captures(context.Context, string) (json.RawMessage, error) { return nil, nil }

func (marked) NamePhone(_ context.Context, serial, mark string) (string, error) {
	return serial + " of " + mark, nil
}

func (m marked) Shared() bool { return m.shared }

// The emulators of all machines have the same address, and no factory serial of their own.
func TestEmulatorsOfSeveralMachinesAreSeveralPhones(t *testing.T) {
	const at, id = "emulator-5554", "a1b2c3d4e5f60718"
	e, with := serve(t), small
	with.Serial = "EMULATOR36X1X16X0"
	sim := newSimulated(t, with).phone
	sim.Settings.PutSetting("secure", "android_id", id)
	e.Attach(at, shell.New(sim))
	for shared, want := range map[bool]string{true: at + " of b82efc46c073d9d8", false: at} {
		host, err := device.NewHost(&device.Options{Server: e.addr, Memory: marked{shared},
			Getenv: func(string) string { return "" }})
		require.NoError(t, err)
		list, err := host.List(t.Context())
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, want, list[0].Serial)
		p, err := host.Open(t.Context(), want)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		if shared { // that is another machine's
			_, err = host.Open(t.Context(), at)
			require.ErrorContains(t, err, "is another one")
		}
	}
}
