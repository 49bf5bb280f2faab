//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheKeyboardThatAKilledRunLeftIsPutBackByTheNext(t *testing.T) {
	const adbKeyboard, over = "com.android.adbkeyboard/.AdbIME", "COMPLETE\\treturn:well"
	t.Parallel()
	for next, args := range map[string][]string{
		"a continued run": {"continue"},
		"another task":    {"run", "--keep-environment", "Say that all is well"},
	} {
		t.Run(next, func(t *testing.T) {
			b := newTestEnv(t, "note-groceries",
				modelRule("Say that all is well", over, "over")+
					modelRule("interrupted during the last action", over, "over")+
					modelRule(`\[note-groceries 2/7\]`,
						"TYPE\\tvalue:"+strings.Repeat("牛奶", 2000), "typed"))
			before := b.sim.Phone.Keyboard.IME()
			require.NotEqual(t, adbKeyboard, before)
			p := b.spawn("run", b.task.Goal)
			b.wire.sent.await(t, "(ADB_INPUT_B64)") // of many, so that the rest is not typed
			p.kill()
			require.Equal(t, adbKeyboard, b.sim.Phone.Keyboard.IME())

			p = b.spawn(args...)

			require.Zero(t, p.ends(), "%s", p.stderr)
			require.Equal(t, before, b.sim.Phone.Keyboard.IME())
		})
	}
}
