package sandbox

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/patient"
)

// editor opens a new note with the cursor in its text.
func editor(t *testing.T, opts *Options) *hand {
	h := hold(t, opts)
	h.open(notesApp)
	h.touchAll("new_note", "edit_body")
	return h
}

func (h *hand) body() string {
	h.t.Helper()
	if n := h.see("edit_body"); n.Text != "Note" {
		return n.Text
	}
	return ""
}

func TestEveryKeyOfTheKeyboardTypesWhatItShows(t *testing.T) {
	h := editor(t, nil)
	h.keys("Pack my box, Jud. 42 (x) @home? #1 50% \"a\" 'b' *c* = d/e-f_g")
	h.key("enter")
	h.keys("second line")
	require.Equal(t, "Pack my box, Jud. 42 (x) @home? #1 50% \"a\" 'b' *c* = d/e-f_g\nsecond line",
		h.body())
	h.key("delete")
	h.key("delete")
	require.True(t, strings.HasSuffix(h.body(), "second li"))
}

func TestShiftHoldsForOneLetter(t *testing.T) {
	h := editor(t, nil)
	h.key("shift")
	h.key("q")
	h.key("q")
	require.Equal(t, "Qq", h.body())
}

func TestBackHidesTheKeyboardBeforeItLeaves(t *testing.T) {
	h := editor(t, nil)
	require.True(t, h.phone.Screen.KeyboardShown())
	low := h.see("edit_body").Bounds
	require.NoError(t, h.phone.Keys.Key(KeyBack))
	require.False(t, h.phone.Screen.KeyboardShown())
	require.Equal(t, ".NoteEdit", h.phone.Screen.Foreground().Activity)
	require.Greater(t, h.see("edit_body").Bounds.Max.Y, low.Max.Y, "the page takes the room")
	h.phone.Keys.Text("still focused")
	require.Equal(t, "still focused", h.body())
	h.touch("edit_body")
	require.True(t, h.phone.Screen.KeyboardShown())
}

func TestEditingKeys(t *testing.T) {
	h := editor(t, nil)
	h.phone.Keys.Text("abcd")
	h.keyCodes(KeyDelete, KeySpace, KeyEnter, 123)
	h.phone.Keys.Text("é")
	require.Equal(t, "abc \né", h.body())
	h.keyCodes(KeyDelete, KeyDelete, KeyDelete)
	require.Equal(t, "abc", h.body())
	h.keyCodes(KeyDelete, KeyDelete, KeyDelete, KeyDelete)
	require.Empty(t, h.body(), "nothing before the start")
}

func TestTypingWithoutAFieldGivesTheFirstViewTheFocusAndPressesIt(t *testing.T) {
	for _, c := range []struct {
		name    string
		arrange func(h *hand)
		text    string
		want    func(t *testing.T, h *hand)
	}{
		{"letters press nothing", func(h *hand) { h.open(settingsApp) }, "abc",
			func(t *testing.T, h *hand) {
				require.Equal(t, ".Settings", h.phone.Screen.Foreground().Activity)
				require.True(t, h.see("row_network").Focused)
			}},
		{"a space presses what a letter has given the focus",
			func(h *hand) { h.open(settingsApp) }, "new name", func(t *testing.T, h *hand) {
				require.Equal(t, ".SubSettings", h.phone.Screen.Foreground().Activity)
				h.see("Airplane mode")
			}},
		{"a first space gives the focus only", func(h *hand) { h.open(settingsApp) }, " ",
			func(t *testing.T, h *hand) {
				require.Equal(t, ".Settings", h.phone.Screen.Foreground().Activity)
				require.True(t, h.see("row_network").Focused)
			}},
		{"so does a first line break", func(h *hand) { h.open(settingsApp) }, "\n",
			func(t *testing.T, h *hand) {
				require.Equal(t, ".Settings", h.phone.Screen.Foreground().Activity)
			}},
		{"a line break presses, too", func(h *hand) { h.open(settingsApp) }, "a\n",
			func(t *testing.T, h *hand) {
				require.Equal(t, ".SubSettings", h.phone.Screen.Foreground().Activity)
			}},
		{"on the home screen an app opens", func(h *hand) { h.keyCodes(KeyHome) }, "a b",
			func(t *testing.T, h *hand) {
				require.NotEqual(t, launcherPackage, h.phone.Screen.Foreground().Package)
			}},
		{"a dialog's button is pressed, not what is behind it", func(h *hand) {
			h.open(clockApp)
			h.press("08:15")
		}, "a b", func(t *testing.T, h *hand) { h.gone("Cancel") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hold(t, nil)
			c.arrange(h)
			h.phone.Keys.Text(c.text)
			c.want(t, h)
		})
	}
}

func TestATouchTakesTheFocusFromWhatKeysGaveItTo(t *testing.T) {
	h := hold(t, nil)
	h.open(settingsApp)
	h.phone.Keys.Text("a")
	require.True(t, h.see("row_network").Focused)
	h.phone.Touch.Tap(1, 1)
	require.False(t, h.see("row_network").Focused)
	h.keyCodes(KeyCenter)
	require.True(t, h.see("row_network").Focused, "the first key only leaves touch mode")
	h.keyCodes(KeyCenter)
	require.Equal(t, ".SubSettings", h.phone.Screen.Foreground().Activity)
	require.True(t, h.see("up").Focused, "a page that opens under the keys has a focus at once")
	h.keyCodes(KeyDelete)
	require.Equal(t, ".SubSettings", h.phone.Screen.Foreground().Activity,
		"what deletes presses nothing")
}

func TestEnterInAFieldOfOneLineMovesTheFocusOn(t *testing.T) {
	h := hold(t, nil)
	h.open(notesApp)
	h.touchAll("new_note", "edit_title")
	h.phone.Keys.Text("a title\nand the rest")
	require.Equal(t, "a title", h.see("edit_title").Text)
	require.Equal(t, "and the rest", h.body())
}

func TestEnterDoesTheFieldsAction(t *testing.T) {
	h := hold(t, nil)
	h.open(shopApp)
	h.touch("search")
	h.keys("lamp")
	h.key("enter")
	require.Equal(t, ".Results", h.phone.Screen.Foreground().Activity)
	h.see("Desk lamp")
	h.gone("Wall clock")
}

func TestANumberFieldTakesDigitsOnly(t *testing.T) {
	h := hold(t, nil)
	h.open(shopApp)
	h.touchAll("account", "log_in", "login_number")
	h.phone.Keys.Text("5550123\n")
	h.phone.Keys.Text("1a2b")
	require.Equal(t, "12", h.see("login_code").Text)
	h.key("3")
	h.key("0")
	h.key("delete")
	require.Equal(t, "123", h.see("login_code").Text)
}

func TestTheADBKeyboardTakesAnyTextWhileItIsSelected(t *testing.T) {
	h := editor(t, nil)
	nasty := "你好，世界 👍 žluťoučký $(reboot) `id` \"q\" 'q' \\ ;|& %s\nzweite Zeile"
	send := map[string]string{"msg": base64.StdEncoding.EncodeToString([]byte(nasty))}
	require.False(t, h.phone.Keys.Broadcast("ADB_INPUT_B64", send),
		"the other keyboard is selected")
	require.Equal(t, "", h.body())

	id, ok := h.phone.Keyboard.FindIME("com.android.adbkeyboard/com.android.adbkeyboard.AdbIME")
	require.True(t, ok)
	h.useIME(id)
	require.Equal(t, "com.android.adbkeyboard/.AdbIME", h.phone.Keyboard.IME())
	require.True(t, h.phone.Keys.Broadcast("ADB_INPUT_B64", send))
	require.Equal(t, nasty, h.body())
	require.True(t, h.phone.Keys.Broadcast("ADB_CLEAR_TEXT", nil))
	require.Equal(t, "", h.body())
	require.True(t, h.phone.Keys.Broadcast("ADB_INPUT_TEXT", map[string]string{"msg": "plain"}))
	require.True(t, h.phone.Keys.Broadcast("ADB_INPUT_B64", map[string]string{"msg": "%%%"}),
		"taken, though it says nothing")
	require.Equal(t, "plain", h.body())
	require.False(t, h.phone.Keys.Broadcast("android.intent.action.VIEW", nil))
}

func TestTheADBKeyboardsEditorCodeSubmits(t *testing.T) {
	h := hold(t, nil)
	h.open(shopApp)
	h.touch("search")
	h.useIME(adbIME)
	require.True(t, h.phone.Keys.Broadcast("ADB_INPUT_TEXT", map[string]string{"msg": "mug"}))
	require.True(t, h.phone.Keys.Broadcast("ADB_EDITOR_CODE", map[string]string{"code": "3"}))
	require.Equal(t, ".Results", h.phone.Screen.Foreground().Activity)
}

func TestAPhoneWithoutTheADBKeyboardHasNone(t *testing.T) {
	no := false
	h := hold(t, &Options{ADBKeyboard: &no})
	require.Equal(t, []string{latinIME}, h.phone.Keyboard.IMEs())
	_, ok := h.phone.Keyboard.FindIME(adbIME)
	require.False(t, ok)
	for _, a := range h.phone.Apps.Packages() {
		require.NotEqual(t, adbPackage, a.Package)
	}
	h.phone.Settings.PutSetting("secure", "default_input_method", adbIME)
	require.False(t, h.phone.Keys.Broadcast("ADB_INPUT_TEXT", map[string]string{"msg": "x"}),
		"a setting does not install it")
}

func TestTypingWhereNothingTakesTextIsQuick(t *testing.T) {
	h := hold(t, nil)
	begun := time.Now()
	h.phone.Keys.Text(strings.Repeat("a", 60_000))
	require.Less(t, time.Since(begun), patient.Lid)
}
