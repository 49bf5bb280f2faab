package device

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// outcomeOf is what an error says of how far a gesture came.
func outcomeOf(err error) string {
	switch {
	case errors.Is(err, actions.ErrPartial):
		return "partial"
	case errors.Is(err, actions.ErrUnknown):
		return "unknown"
	case err != nil:
		return "not"
	}
	return "done"
}

func TestAnErrorSaysHowFarTheGestureCame(t *testing.T) {
	const twoLines = "one\ntwo\nthree"
	gestures := map[string]actions.Gesture{
		"a tap": actions.Click{At: middle}, "two taps": actions.DoubleClick{At: middle},
		"a key": actions.Back{}, "a text": actions.Type{Text: "abc"},
		"lines": actions.Type{Text: twoLines}, "a field": actions.Type{Text: "abc", At: &middle},
	}
	for _, c := range []struct {
		gesture string
		fails   int // which command of those that touch
		fault   string
		want    string
		says    string
	}{
		{"a tap", 1, "killed", "unknown", `exit code 137, "Killed"`},
		{"a tap", 1, "refused", "not", "the phone refused: Error: no"},
		{"a tap", 1, "failed", "not", "the phone refused: Exception occurred"},
		{"a tap", 1, "dark", "not", screen.ErrDark.Error()},
		{"two taps", 1, "killed", "unknown", "exit code 137"},
		{"two taps", 1, "refused", "not", "the phone refused"},
		{"two taps", 2, "killed", "partial", "whether it took effect is unknown"},
		{"two taps", 2, "refused", "partial", "a part of it was carried out, but then: the phone"},
		{"a key", 1, "killed", "unknown", "pressing back on emu: the phone ended the command"},
		{"a text", 1, "killed", "unknown", "exit code 137"},
		{"lines", 1, "killed", "unknown", "exit code 137"},
		{"lines", 3, "killed", "partial", "whether it took effect is unknown"},
		{"lines", 3, "refused", "partial", "Error: no"},
		{"lines", 3, "dark", "partial", screen.ErrDark.Error()},
		{"a field", 1, "killed", "unknown", "nothing was typed, tapping the field"},
		{"a field", 2, "killed", "partial", "the point was tapped, but then: typing on emu: the " +
			"phone ended the command"},
		{"a field", 2, "refused", "partial", "the point was tapped"},
		{"two taps", 3, "killed", "done", ""},
	} {
		t.Run(strings.Join([]string{c.gesture, c.fault, fmt.Sprint(c.fails)}, " "),
			func(t *testing.T) {
				count := t.TempDir() + "/n"
				w := &wirePhones{shell: ordinary(nil), commands: faulty(count, c.fails, c.fault)}
				err := gestures[c.gesture].Do(t.Context(), w.open(t))
				require.Equal(t, c.want, outcomeOf(err), "%v", err)
				if err != nil {
					require.ErrorContains(t, err, c.says)
					require.NotContains(t, err.Error(), "taploop-", "a mark")
				}
				require.Equal(t, c.fault == "dark", errors.Is(err, screen.ErrDark))
			})
	}
}

// faulty are the phone's commands, of which the nth that touches it fails: it is killed after it
// has taken effect, it refuses, or the display is dark before it.
func faulty(count string, n int, fault string) string {
	return fmt.Sprintf(`
n() { cat %[1]s 2>/dev/null || echo 0; }
dumpsys() {
	if [ %[3]s = dark ] && [ $(n) = $((%[2]d-1)) ]; then echo '  mWakefulness=Asleep'; fi
}
input() {
	echo $(($(n)+1)) >%[1]s
	[ $(n) = %[2]d ] || return 0
	case %[3]s in
	killed) echo Killed >&2; return 137;;
	refused) echo 'Error: no' >&2; return 1;;
	failed) echo 'Exception occurred while executing' >&2; return 255;;
	esac
}`, "'"+count+"'", n, fault)
}
