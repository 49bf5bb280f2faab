package device

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
)

// memory is a Memory that fails when it is told to.
type memory struct {
	forgetful
	formers  map[string]string          // by serial
	captures map[string]json.RawMessage // by the way
	fails    error
}

func newMemory() *memory {
	return &memory{formers: map[string]string{}, captures: map[string]json.RawMessage{}}
}

func (m *memory) SetFormerKeyboard(_ context.Context, serial, former string) error {
	if m.fails != nil {
		return m.fails
	}
	m.formers[serial] = former
	if former == "" {
		delete(m.formers, serial)
	}
	return nil
}

func (m *memory) FormerKeyboard(_ context.Context, serial string) (string, error) {
	return m.formers[serial], nil
}

func (m *memory) NamePhone(_ context.Context, serial, _ string) (string, error) {
	return serial, m.fails
}

func (m *memory) SetCaptures(_ context.Context, way string, took json.RawMessage) error {
	m.captures[way] = took
	return m.fails
}

func (m *memory) Captures(_ context.Context, way string) (json.RawMessage, error) {
	return m.captures[way], m.fails
}

// killedAtTheBroadcast is a phone as it is left by a process that was killed while it typed, and
// what that process has remembered.
func killedAtTheBroadcast(t *testing.T, enabled bool) (*imePhone, *memory) {
	i := &imePhone{t: t, current: latin, installed: true, enabled: enabled, bindAfter: 1}
	m, left := newMemory(), map[string]string(nil)
	w := &wirePhones{memory: m, shell: func(serial, command string) (string, string, int) {
		if strings.HasPrefix(command, "am broadcast") {
			left = maps.Clone(m.formers)
		}
		return i.shell(serial, command)
	}}
	require.NoError(t, w.open(t).Type(t.Context(), "ü"))
	require.Empty(t, m.formers, "it is forgotten once it was put back")
	require.NotEmpty(t, left, "it is remembered before anything is typed")
	m.formers = left
	i.current, i.enabled = adbIME, true
	return i, m
}

func TestTheKeyboardThatAKilledProcessLeftIsPutBack(t *testing.T) {
	for _, enabled := range []bool{false, true} {
		for next, use := range map[string]func(context.Context, *Phone) error{
			"wakes":  func(ctx context.Context, p *Phone) error { _, err := p.Wake(ctx); return err },
			"types":  func(ctx context.Context, p *Phone) error { return p.Type(ctx, "é") },
			"clears": func(ctx context.Context, p *Phone) error { return p.Clear(ctx) },
		} {
			t.Run(next, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					i, m := killedAtTheBroadcast(t, enabled)
					p := (&wirePhones{memory: m, shell: i.shell}).open(t)
					require.NoError(t, use(t.Context(), p))
					require.Equal(t, latin, i.current)
					require.Equal(t, enabled, i.enabled)
					require.Empty(t, m.formers)

					i.current = adbIME // now a person has chosen it
					require.NoError(t, use(t.Context(), p))
					require.Equal(t, adbIME, i.current)
				})
			})
		}
	}
}

func TestAKeyboardThatSomebodyHasChosenSinceStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, m := killedAtTheBroadcast(t, false)
		i.current = "org.other/.Keyboard"
		p := (&wirePhones{memory: m, shell: i.shell}).open(t)
		_, err := p.Wake(t.Context())
		require.NoError(t, err)
		require.Equal(t, "org.other/.Keyboard", i.current)
		require.False(t, i.enabled, "ADBKeyBoard was off before")
		require.Empty(t, m.formers)
	})
}

func TestAFormerKeyboardThatIsGoneGivesWayToTheDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, m := killedAtTheBroadcast(t, false)
		m.formers["emu"] = strings.ReplaceAll(m.formers["emu"], latin, "org.gone/.Keyboard")
		p := (&wirePhones{memory: m, shell: i.shell}).open(t)
		_, err := p.Wake(t.Context())
		require.NoError(t, err)
		require.Equal(t, latin, i.current, "what `ime reset` selects")
		require.Empty(t, m.formers)
	})
}

func TestWhatCannotBeRememberedIsNotSwitched(t *testing.T) {
	i := &imePhone{t: t, current: latin, installed: true}
	m := newMemory()
	m.fails = errors.New("the disk is full")
	w := &wirePhones{memory: m, shell: i.shell}
	p := w.open(t)
	require.EqualError(t, p.Type(t.Context(), "ü"),
		"typing on emu: nothing was typed: the disk is full")
	require.Equal(t, latin, i.current)
	require.False(t, i.enabled)
}

func TestAKeyboardThatCannotBePutBackIsTriedAgainAndTheHintQuotesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		evil := "com.x/.K'; reboot; echo $(id)"
		i := &imePhone{t: t, current: evil, installed: true, bindAfter: 1}
		m := newMemory()
		stuck := true
		w := &wirePhones{memory: m, shell: func(serial, command string) (string, string, int) {
			if stuck && (strings.HasPrefix(command, "ime set com") ||
				strings.HasPrefix(command, "ime set 'com.x") || command == "ime reset && "+
				"ime disable "+adbIME) {
				return "", "Error: no service\n", 1
			}
			return i.shell(serial, command)
		}}
		p := w.open(t)

		err := p.Type(t.Context(), "ü")

		require.ErrorContains(t, err, "the former keyboard could not be put back")
		require.ErrorIs(t, err, actions.ErrDone)
		require.Equal(t, "ü", i.typed)
		require.Equal(t, "choose the keyboard in the phone's settings, or run: adb -s emu shell "+
			`'ime set '\''com.x/.K'\''\'\'''\''; reboot; echo $(id)'\'' && ime disable `+
			adbIME+"'", hint.Of(err))
		stuck = false
		_, err = p.Wake(t.Context())
		require.NoError(t, err)
		require.NotEqual(t, adbIME, i.current)
	})
}
