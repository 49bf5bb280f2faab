//go:build unix

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
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

var service = []byte("shell,v2") // begins a request to the phone

// A replay that is killed at any request to the phone is carried on, with nothing done twice: what
// may have been done, and is not seen, is left to the model, which gives up here.
func TestAKilledReplayRepeatsNothing(t *testing.T) {
	t.Parallel()
	const task = "message-late"
	b := newTestEnv(t, task, modelRule("interrupted|cannot be repeated", "ABORT\\tvalue:who knows",
		"given up"), "TAPLOOP_GUARD_ENABLED=false")
	first := b.spawn("run", b.task.Goal)
	session := first.stderr.await(t, `session (\w+) on`)
	require.Zero(t, first.ends())
	recorded := len(b.wire.touches())
	require.Zero(t, b.spawn("skill", "make", session, "--name", "late").ends())
	requests := func() int { return strings.Count(b.wire.sent.String(), string(service)) }
	before := requests()
	b.task.Setup(b.sim.Phone)
	require.Zero(t, b.spawn("skill", "run", "late").ends())
	require.NoError(t, b.task.Check(b.sim.Phone))
	whole, kills, carried := requests()-before, rounds(4, 40), 0
	asked := b.asked.Load()
	for i := range kills {
		b.task.Setup(b.sim.Phone)
		done, moment := len(b.wire.touches()), requests()+2+i*(whole*3/4)/(kills-1)
		p := b.spawn("skill", "run", "late")
		b.wire.sent.until(t, fmt.Sprintf("request %d", moment), func(sent []byte) bool {
			return bytes.Count(sent, service) >= moment
		})
		p.kill()
		p = b.spawn("continue")
		code := p.ends()
		require.LessOrEqual(t, len(b.wire.touches())-done, recorded, "request %d\n%s", moment,
			p.stderr)
		if sent := b.task.Check(b.sim.Phone); sent == nil {
			carried++
			continue
		}
		require.NotZero(t, code, "it is not done\n%s", p.stderr)
	}
	t.Logf("%d of %d were carried on to the end, and the model was asked %d times", carried, kills,
		b.asked.Load()-asked)
	require.Positive(t, carried)
}

// Killed tests leave their phones to others at once, and sessions that say how they ended, both the
// one that held the phone and that of the case.
func TestKilledTestsLeaveTheirPhonesAndEndTheirSessions(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, modelRule("all is well", "COMPLETE\\treturn:well", "over"))
	usual, _ := b.folder()
	suite := filepath.Join(b.dir, "s.yaml")
	require.NoError(t, writeFile(suite, "cases: [{name: a, task: Never-ending, expect: none}]"))
	thinks := b.holdOn("Never-ending")
	p := b.spawn("test", suite)
	thinks.await(t)
	p.kill()

	require.NoError(t, writeFile(suite, "cases: [{name: a, task: all is well, expect: none}]"))
	p = b.spawn("test", suite)
	require.Zero(t, p.ends(), "%s", p.stderr)
	tests, err := store.Open(t.Context(), filepath.Join(b.dir, "data", "taploop", "tests"), nil)
	require.NoError(t, err)
	defer tests.Close()
	for name, db := range map[string]*store.Store{"usual": usual, "of tests": tests} {
		list, err := db.Sessions(t.Context(), store.Filter{})
		require.NoError(t, err)
		require.Len(t, list, 2, name)
		require.Equal(t, [2]store.State{store.Completed, store.Cancelled},
			[2]store.State{list[0].Latest.State, list[1].Latest.State}, name)
		require.Equal(t, "the tests were killed", list[1].Latest.Error, name)
	}
	for _, depth := range []string{"*", "*/*"} {
		left, err := filepath.Glob(filepath.Join(b.dir, "data", "taploop", depth, "*.end"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
