package device

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

func TestAPhoneThatHangsDoesNotHoldTheListUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{
			list: "good device model:A_B transport_id:1\nstuck device model:Stuck_One " +
				"transport_id:2\nnew unauthorized transport_id:3\ngone device transport_id:4\n",
			shell: ordinary(map[string]string{"wm size": "Physical size: 108x240\nOverride " +
				"size: 72x160\n"}),
			hung:   map[string]bool{"stuck": true},
			refuse: map[string]string{"gone": "device offline"},
		}
		began := time.Now()
		list, err := w.host(t, nil).List(t.Context())
		require.NoError(t, err)
		require.Equal(t, []PhoneInfo{
			{Serial: "good", State: "device", Model: "Fake Phone", Android: "14", SDK: 34,
				Size: screen.Size{W: 72, H: 160}},
			{Serial: "stuck", State: StateHung, Model: "Stuck One"},
			{Serial: "new", State: "unauthorized"},
			{Serial: "gone", State: "offline"},
		}, list)
		require.Equal(t, listTimeout, time.Since(began))
	})
}

func TestACancelledListIsAnErrorNotAShortList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{list: "stuck device\n", hung: map[string]bool{"stuck": true}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := w.host(t, nil).List(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// A look that the end of the wait cut off says nothing about the phones.
func TestAWaitThatIsOverSaysWhatWasLackingBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{list: "stuck device\n", hung: map[string]bool{"stuck": true}}
		host, over := w.host(t, nil), errors.New("the wait is over")
		for within, want := range map[time.Duration]string{
			listTimeout + time.Second: "the wait is over: 0 usable phones of 1",
			listTimeout / 2:           "the wait is over",
		} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), within, over)
			_, err := host.AwaitPhones(ctx, 1, false)
			cancel()
			require.ErrorIs(t, err, over)
			require.EqualError(t, err, want)
		}
	})
}

func TestWhichPhoneIsMeant(t *testing.T) {
	const two = "a device\nb device\nc offline\n"
	for name, c := range map[string]struct {
		list, serial, env string
		want, err, hint   string
		is                error
	}{
		"the only one": {list: "a device\n", want: "a"},
		"the only usable one": {list: "a device\nb offline\nc unauthorized\n",
			want: "a"},
		"by name":                      {list: two, serial: "b", want: "b"},
		"by ANDROID_SERIAL":            {list: two, env: "b", want: "b"},
		"a name before ANDROID_SERIAL": {list: two, serial: "a", env: "b", want: "a"},
		"none": {list: "", err: "no phone", hint: "USB debugging",
			is: ErrNoPhone},
		"not clear which": {list: two, err: "2 phones are connected; which one?",
			hint: "name one of: a, b", is: ErrWhichPhone},
		"no such name": {list: two, serial: "x", err: `no phone "x"`,
			hint: "use one of: a, b, c (offline)", is: ErrNoPhone},
		"ANDROID_SERIAL that is not there": {list: "", env: "x", err: `no phone "x"`,
			hint: "none is connected", is: ErrNoPhone},
		"one that is offline": {list: two, serial: "c", err: "c: the phone is offline",
			hint: "cable", is: adb.ErrOffline},
		"only one and not authorised": {list: "u unauthorized\n",
			err: "u: the phone has not authorised", hint: "Allow USB debugging",
			is: adb.ErrUnauthorized},
		"one in recovery": {list: "r recovery\n", serial: "r",
			err: `r is in state "recovery"`, hint: "reboot"},
		"several and none usable": {list: "u unauthorized\no offline\n",
			err: "no phone is usable: u (unauthorized), o (offline)", hint: "unlock",
			is: ErrNoPhone},
	} {
		t.Run(name, func(t *testing.T) {
			w := &wirePhones{list: c.list, shell: ordinary(nil)}
			p, err := w.host(t, map[string]string{"ANDROID_SERIAL": c.env}).Open(t.Context(),
				c.serial)
			if c.want != "" {
				require.NoError(t, err)
				require.Equal(t, c.want, p.Info().Serial)
				require.Equal(t, "14", p.Info().Android)
				return
			}
			require.ErrorContains(t, err, c.err)
			require.Contains(t, hint.Of(err), c.hint)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
		})
	}
}

func TestWhatIsNotAndroidIsNotOpened(t *testing.T) {
	w := &wirePhones{list: "box device\n", shell: func(_, command string) (string, string, int) {
		return "", "sh: " + command + ": not found\n", 127
	}}
	_, err := w.host(t, nil).Open(t.Context(), "box")
	require.ErrorContains(t, err, "opening box: the phone reports neither its Android version "+
		"nor its size")
}
