package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

func TestPackagesAreListedInThePhonesLanguage(t *testing.T) {
	labels := func(locale string) map[string]string {
		out, p := map[string]string{}, New(&Options{Locale: locale})
		for _, a := range p.Apps.Packages() {
			out[a.Package] = a.Label(p.core.sys)
		}
		return out
	}
	en, zh := labels("en"), labels("zh")
	require.Equal(t, "Settings", en["com.android.settings"])
	require.Equal(t, "设置", zh["com.android.settings"])
	require.Len(t, zh, len(en))
	list := New(nil).Apps.Packages()
	require.Equal(t, adbPackage, list[0].Package)
	require.Equal(t, "ADB Keyboard", en[adbPackage])
	var own []string
	for _, a := range list {
		if !a.System {
			own = append(own, a.Package+"/"+a.Activity)
		}
	}
	require.Equal(t, []string{adbPackage + "/", notesApp + "/.Notes", shopApp + "/.Shop"}, own)
}

func TestEveryAppOpensFromItsIconAndByItsComponent(t *testing.T) {
	for _, a := range New(nil).Apps.Packages() {
		if a.Activity == "" || a.Package == launcherPackage {
			continue
		}
		h := hold(t, nil)
		h.touch(a.EN)
		require.Equal(t, a.Package+"/"+a.Activity, h.phone.Screen.Foreground().Component())
		h.keyCodes(KeyHome)
		require.NoError(t, h.phone.Apps.Start(a.Package+"/"+a.Package+a.Activity),
			"the class in full")
		require.Equal(t, a.Package, h.phone.Screen.Foreground().Package)
		h.keyCodes(KeyBack)
		require.Equal(t, launcherPackage, h.phone.Screen.Foreground().Package,
			"back leaves %s", a.Package)
		require.Empty(t, h.phone.Apps.running)
	}
}

func TestStartingWhatIsNotThere(t *testing.T) {
	h := hold(t, nil)
	const missing, activity = "it is not installed", "it has no such activity"
	require.ErrorContains(t, h.phone.Apps.Start("notes"), missing)
	require.ErrorContains(t, h.phone.Apps.Start("com.example/.Main"), missing)
	require.ErrorContains(t, h.phone.Apps.Start(notesApp+"/.NoteEdit"), activity)
	require.ErrorContains(t, h.phone.Apps.Start(latinPackage+"/"), activity)
	require.ErrorContains(t, h.phone.Apps.Launch("com.example"), missing)
	require.ErrorContains(t, h.phone.Apps.Launch(latinPackage), activity)
	h.phone.Apps.ForceStop("")
	require.Equal(t, launcherPackage, h.phone.Screen.Foreground().Package)
}

func TestAnAppIsFoundAsItWasLeftUnlessItWasStopped(t *testing.T) {
	h := hold(t, nil)
	h.open(notesApp)
	h.touch("new_note")
	h.phone.Keys.Text("half a note")
	h.keyCodes(KeyHome)
	h.open(notesApp)
	require.Equal(t, "half a note", h.see("edit_title").Text)
	require.False(t, h.phone.Screen.KeyboardShown(), "the keyboard does not come back by itself")
	h.phone.Apps.ForceStop(notesApp)
	require.Equal(t, launcherPackage, h.phone.Screen.Foreground().Package)
	h.open(notesApp)
	h.see("new_note")
	h.gone("half a note")
	h.phone.Inspect(func(d *apps.Data) {
		require.Len(t, d.Notes, 3,
			"what was saved stays, what was not is gone")
	})
	h.phone.Apps.ForceStop(launcherPackage)
	h.phone.Apps.ForceStop(systemUI)
}

func TestRecentsShowWhatRunsLatestFirst(t *testing.T) {
	h := hold(t, nil)
	h.keyCodes(KeyRecents)
	h.see("No recent items")
	h.keyCodes(KeyBack)
	for _, pkg := range []string{notesApp, clockApp, shopApp, notesApp} {
		h.open(pkg)
	}
	h.keyCodes(KeyRecents)
	require.Equal(t, []string{"Recent apps", "Notes", "Notes", "Notes", "Shop", "Shop", "Shop",
		"Clock", "Clock", "DeskClock"}, h.texts())
	require.Equal(t, ".RecentsActivity", h.phone.Screen.Foreground().Activity)
	h.touch("Clock")
	require.Equal(t, clockApp, h.phone.Screen.Foreground().Package)
	h.keyCodes(KeyRecents, KeyRecents)
	require.Equal(t, clockApp, h.phone.Screen.Foreground().Package, "the key again goes back")
}

func TestTheNavigationBarsButtonsWork(t *testing.T) {
	h := hold(t, nil)
	h.open(settingsApp)
	h.touch("row_network")
	h.phone.Touch.Tap(200, 2340)
	h.see("row_network")
	h.phone.Touch.Tap(870, 2340)
	require.Equal(t, ".RecentsActivity", h.phone.Screen.Foreground().Activity)
	h.phone.Touch.Tap(540, 2340)
	require.Equal(t, ".Launcher", h.phone.Screen.Foreground().Activity)
}

func TestKeyCodesOutsideAndroidsAreRefused(t *testing.T) {
	h := hold(t, nil)
	for _, code := range []int{0, -4, 319, 1 << 40} {
		require.ErrorContains(t, h.phone.Keys.Key(code), "none of Android's (1 to 318)")
	}
	require.NoError(t, h.phone.Keys.Key(164), "a code without a use here does nothing")
}

func TestSettingsAndAppsShareOneStore(t *testing.T) {
	h := hold(t, nil)
	h.open(settingsApp)
	h.touch("row_network")
	require.True(t, h.see("switch_widget").Checked)
	h.phone.Settings.PutSetting("global", "wifi_on", "0")
	require.False(t, h.see("switch_widget").Checked)
	h.touch("switch_widget")
	v, _ := h.phone.Settings.Setting("global", "wifi_on")
	require.Equal(t, "1", v)
}

func TestOddSettingsDoNotBreakThePhone(t *testing.T) {
	h := hold(t, nil)
	for _, v := range [][3]string{
		{"system", "font_scale", "-3"}, {"system", "font_scale", "NaN"}, {"system", "font_scale",
			"1e300"}, {"system", "font_scale", "big"},
		{"system", "user_rotation", "-7"}, {"system", "user_rotation", "99999999999999999999"},
		{"system", "screen_brightness", "-1"},
		{"global", "transition_animation_scale", "-1"}, {"global", "transition_animation_scale",
			"Inf"},
		{"secure", "default_input_method", ""}, {"secure", "ui_night_mode", "x"},
	} {
		h.phone.Settings.PutSetting(v[0], v[1], v[2])
		h.open(settingsApp)
		h.phone.Screenshot()
		h.keyCodes(KeyHome)
		require.NotEmpty(t, h.texts(), "%v", v)
	}
}
