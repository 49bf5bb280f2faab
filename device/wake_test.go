package device

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

func TestAScreenThatIsOffAndLockedIsWokenAsFarAsItMay(t *testing.T) {
	state := func(on, locked, secure string) map[string]string {
		return map[string]string{
			"dumpsys power": "  mWakefulness=" + on + "\n",
			"dumpsys window policy": "KeyguardServiceDelegate\n  showing=" + locked +
				"\n  occluded=false\n  secure=" + secure + "\n",
		}
	}
	for name, c := range map[string]struct {
		on, secure string
		locked     bool
		opensOn    string // the command that opens the lock screen
		wakes      bool
		want       []string
		err        error
		text       string
	}{
		"awake and open": {on: "Awake", secure: "true", want: nil},
		"off, no lock screen": {on: "Asleep", secure: "false", wakes: true,
			want: []string{"input keyevent 224"}},
		"off and locked": {on: "Asleep", secure: "false", locked: true, wakes: true,
			opensOn: "wm dismiss-keyguard", want: []string{"input keyevent 224",
				"wm dismiss-keyguard"}},
		"a maker's lock screen": {on: "Awake", secure: "false", locked: true,
			opensOn: "input swipe 54 216 54 48 300", want: []string{"wm dismiss-keyguard",
				"input swipe 54 216 54 48 300"}},
		"a PIN": {on: "Awake", secure: "true", locked: true,
			want: []string{"wm dismiss-keyguard"}, err: screen.ErrLocked},
		"a PIN that is trusted": {on: "Awake", secure: "true", locked: true,
			opensOn: "wm dismiss-keyguard", want: []string{"wm dismiss-keyguard"}},
		"nothing opens it": {on: "Awake", secure: "false", locked: true,
			want: []string{"wm dismiss-keyguard", "input swipe 54 216 54 48 300"}, err: screen.ErrLocked},
		"it stays off": {on: "Asleep", secure: "false",
			want: []string{"input keyevent 224"}, text: "the display stays off"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on, locked := c.on, map[bool]string{true: "true", false: "false"}[c.locked]
				var done []string
				w := &wirePhones{}
				w.shell = func(serial, command string) (string, string, int) {
					if strings.HasPrefix(command, "input ") || strings.HasPrefix(command,
						"wm dismiss") {
						done = append(done, command)
						if command == "input keyevent 224" && c.wakes {
							on = "Awake"
						}
						if command == c.opensOn {
							locked = "false"
						}
						return "", "", 0
					}
					return ordinary(state(on, locked, c.secure))(serial, command)
				}
				_, err := w.open(t).Wake(t.Context())
				require.Equal(t, c.want, done)
				switch {
				case c.err != nil:
					require.ErrorIs(t, err, c.err)
					require.NotEmpty(t, hint.Of(err))
				case c.text != "":
					require.ErrorContains(t, err, c.text)
				default:
					require.NoError(t, err)
				}
			})
		})
	}
}
