package device

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

// acting are the commands that touch a phone. Putting the former keyboard back is none.
var acting = regexp.MustCompile(
	`^(input|am|monkey) |^ime (enable|set) com\.android\.adbkeyboard`)

// darkening is a phone whose display a person switches off after some services. Then it keeps what
// acts on it all the same.
type darkening struct {
	imePhone
	after int

	mu       sync.Mutex
	services int
	acted    []string
}

func (d *darkening) shell(serial, command string) (string, string, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dark := d.services > d.after
	switch {
	case command == "dumpsys power" && dark:
		return "  mWakefulness=Dozing\n", "", 0
	case acting.MatchString(command) && dark:
		d.acted = append(d.acted, command)
	case command == "pm list packages":
		return "package:com.example.clock\npackage:com.example.odd\n", "", 0
	case strings.HasPrefix(command, "cmd package") && strings.HasSuffix(command, "clock"):
		return "com.example.clock/.Main\n", "", 0
	case strings.HasPrefix(command, "am start"):
		return "Starting: Intent { cmp=com.example.clock/.Main }\n", "", 0
	case strings.HasPrefix(command, "monkey"):
		return "Events injected: 1\n", "", 0
	case strings.HasPrefix(command, "am force-stop"), command == "wm dismiss-keyguard":
		return "", "", 0
	case command == "dumpsys window":
		return ordinary(map[string]string{"dumpsys window policy": "    " +
			"KeyguardServiceDelegate\n      showing=true\n      secure=false\n"})(serial, command)
	}
	return d.imePhone.shell(serial, command)
}

func TestOnADisplayThatGoesDarkNothingIsTouchedLaunchedOrPressed(t *testing.T) {
	at := &screen.Point{X: 0.5, Y: 0.5}
	up := screen.Point{X: 0.5, Y: 0.1}
	gestures := map[string]func(t *testing.T, p *Phone) error{
		"a new app": func(t *testing.T, p *Phone) error {
			return p.Relaunch(t.Context(), "com.example.clock", nil)
		},
		"a new app that has no icon": func(t *testing.T, p *Phone) error {
			return p.Relaunch(t.Context(), "com.example.odd", nil)
		},
		"unlocking": func(t *testing.T, p *Phone) error {
			if _, err := p.display.unlock(t.Context(), reading{}); !errors.Is(err, screen.ErrLocked) {
				return err
			}
			return nil
		},
	}
	for _, a := range []actions.Gesture{
		actions.Click{At: *at}, actions.DoubleClick{At: *at},
		actions.LongPress{At: *at, Hold: time.Second}, actions.Slide{From: *at, To: up},
		actions.Scroll{At: *at, Direction: actions.Down}, actions.Drag{From: *at, To: up},
		actions.Type{At: at, Clear: true, Text: "a\nb c\n", Submit: true},
		actions.Type{At: at, Clear: true, Text: "ü\nö", Submit: true},
		actions.Type{Text: strings.Repeat("x\n", 30)},
		actions.OpenApp{App: "com.example.clock"}, actions.Back{}, actions.Home{},
		actions.Recents{}, actions.HotKey{Key: actions.KeyPower},
		actions.HotKey{Key: actions.KeyWakeUp}, actions.HotKey{Key: actions.KeyEnter},
	} {
		gestures[fmt.Sprintf("%#v", a)] = func(t *testing.T, p *Phone) error {
			return a.Do(t.Context(), p)
		}
	}
	for name, do := range gestures {
		t.Run(name, func(t *testing.T) {
			for after, err := 0, screen.ErrDark; err != nil; after++ {
				require.Less(t, after, 60)
				synctest.Test(t, func(t *testing.T) { err = darkens(t, do, after) })
				if err != nil {
					require.ErrorIs(t, err, screen.ErrDark)
				}
			}
		})
	}
}

// darkens carries a gesture out on a phone that goes dark after so many services.
func darkens(t *testing.T, do func(*testing.T, *Phone) error, after int) error {
	d := &darkening{after: 1000,
		imePhone: imePhone{t: t, current: latin, installed: true, bindAfter: 1}}
	w := &wirePhones{shell: d.shell}
	w.began = func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.services++
	}
	p := w.open(t)
	d.services, d.after = 0, after
	err := do(t, p)
	require.Empty(t, d.acted, "after %d services", after)
	require.Equal(t, latin, d.current, "the person's keyboard is back")
	return err
}

// The guard has to tell what the parser tells, of each form that there is.
func TestTheGuardKnowsADarkDisplayAsTheParserDoes(t *testing.T) {
	dark := regexp.MustCompile("(?m)" + darkness)
	seen := map[bool]int{}
	check := func(power string) {
		on, known := parsePower(power)
		require.Equal(t, known && !on, dark.MatchString(power), power)
		seen[on]++
	}
	golden.Run(t, "testdata/state", func(t *testing.T, c *golden.Case) {
		check(c.Section(t, "power"))
	})
	for _, state := range []string{"Awake", "Asleep", "Dreaming", "Dozing"} {
		check("POWER MANAGER (dumpsys power)\n\n  mWakefulness=" + state + "\n")
	}
	for _, state := range []string{"ON", "OFF", "DOZE", "DOZE_SUSPEND", "VR", "ON_SUSPEND"} {
		check("Display Power: state=" + state + "\n")
	}
	check("  mWakefulnessChanging=Asleep\n  mLast: mWakefulness=Asleep\n  mWakefulness=Awake\n")
	require.Greater(t, seen[true], 10)
	require.Greater(t, seen[false], 5)
}
