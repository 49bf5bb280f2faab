package device

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// What getevent says, as toybox and Android's own one write it.
func TestAPhoneTellsThatItIsTouchedByHand(t *testing.T) {
	type said struct {
		stdout, stderr string
		code           int
	}
	over := said{code: 124}
	for name, c := range map[string]struct {
		says  []said
		want  error
		asked int
	}{
		"a finger": {says: []said{
			{stdout: "/dev/input/event2: EV_ABS       ABS_MT_TRACKING_ID   0000002f\n"}}, asked: 1},
		"a key": {says: []said{
			{stdout: "/dev/input/event0: EV_KEY       KEY_VOLUMEUP         DOWN\n"}}, asked: 1},
		"one device": {asked: 1,
			says: []said{{stdout: "EV_KEY       BTN_TOUCH            DOWN\n"}}},
		"nobody, then somebody": {says: []said{over, {code: 143},
			{stdout: "/dev/input/event2: EV_ABS       ABS_MT_POSITION_X    00000120\n"}}, asked: 3},
		"a sensor first": {says: []said{
			{stdout: "/dev/input/event4: EV_MSC       MSC_TIMESTAMP        0a2b3c4d\n"},
			{stdout: "/dev/input/event2: EV_ABS       ABS_MT_POSITION_Y    00000120\n"}}, asked: 2},
		"what is no device with events": {says: []said{
			{stderr: "could not get driver version for /dev/input/mice, Not a typewriter\n",
				code: 124},
			{stdout: "/dev/input/event2: EV_ABS       ABS_MT_POSITION_X    00000120\n"}}, asked: 2},
		"not allowed": {says: []said{
			{stderr: "could not open /dev/input/event2, Permission denied\n", code: 124}},
			want: errNoTouchEvents, asked: 1},
		"not allowed, by an old shell": {says: []said{
			{stdout: "could not open /dev/input/event2, Permission denied\n", code: 124}},
			want: errNoTouchEvents, asked: 1},
		"no getevent": {says: []said{
			{stderr: "/system/bin/sh: getevent: inaccessible or not found\n", code: 127}},
			want: errNoTouchEvents, asked: 1},
		"an old shell without codes": {says: []said{{stdout: "getevent: not found\n"}},
			want: errNoTouchEvents, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, ordinary := 0, ordinary(nil)
				w := &wirePhones{}
				w.shell = func(serial, command string) (string, string, int) {
					if command != listen {
						return ordinary(serial, command)
					}
					s := c.says[asked]
					asked++
					return s.stdout, s.stderr, s.code
				}
				err := w.open(t).AwaitTouch(t.Context())
				require.ErrorIs(t, err, c.want)
				require.Equal(t, c.asked, asked)
			})
		})
	}
}

func TestListeningToAPhoneEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{shell: ordinary(nil)}
		p := w.open(t)
		w.hang("emu", true)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		require.ErrorIs(t, p.AwaitTouch(ctx), context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(began))
		w.hang("emu", false)
	})
}
