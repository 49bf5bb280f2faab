package sandbox

import (
	"image"
	"image/color"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestATransitionMovesAndSettles(t *testing.T) {
	one := 1.0
	h := hold(t, &Options{AnimationScale: &one})
	h.open(settingsApp)
	for name, step := range map[string]func(){
		"forward":  func() { h.touch("row_network") },
		"backward": func() { h.touch("up") },
		"popup":    func() { h.keyCodes(KeyRecents) },
		"close":    func() { h.keyCodes(KeyHome) },
		"open":     func() { h.open(notesApp) },
		"turn":     func() { h.phone.Display.SetRotation(1) },
	} {
		h.open(settingsApp)
		if name == "backward" {
			h.touch("row_network")
		}
		h.wait(time.Second)
		before := string(h.phone.Screenshot().Pix)
		step()
		h.wait(40 * time.Millisecond)
		early := string(h.phone.Screenshot().Pix)
		h.wait(60 * time.Millisecond)
		late := string(h.phone.Screenshot().Pix)
		h.wait(400 * time.Millisecond)
		done := string(h.phone.Screenshot().Pix)
		require.NotEqual(t, before, early, name)
		require.NotEqual(t, early, late, name)
		require.NotEqual(t, late, done, name)
		require.NotEqual(t, before, done, name)
		h.wait(400 * time.Millisecond)
		require.Equal(t, done, string(h.phone.Screenshot().Pix), "%s has settled", name)
		h.phone.Display.SetRotation(0)
		h.phone.Apps.end(settingsApp)
	}
}

func TestWithoutAnimationsAScreenIsThereAtOnce(t *testing.T) {
	h := hold(t, nil)
	h.open(settingsApp)
	h.touch("row_network")
	at := h.phone.Screenshot()
	h.wait(time.Second)
	require.Equal(t, at.Pix, h.phone.Screenshot().Pix)
}

func TestAPhotoIsSeenOverAppsAndNotTouched(t *testing.T) {
	photo := image.NewRGBA(image.Rect(0, 0, 1080, 5000))
	photo.SetRGBA(7, 9, color.RGBA{1, 2, 3, 255})
	h := hold(t, &Options{Photo: photo})
	shows := func() bool {
		return h.phone.Screenshot().RGBAAt(7, 1200+9) == color.RGBA{1, 2, 3, 255}
	}
	require.False(t, shows(), "the home screen")
	h.open(settingsApp)
	require.True(t, shows())
	require.Equal(t, photo.RGBAAt(0, 0), h.phone.Screenshot().RGBAAt(0, 2400-127),
		"down to the bar")
	require.NotEqual(t, photo.RGBAAt(0, 0), h.phone.Screenshot().RGBAAt(0, 2399))
	h.touch("row_display")
	tree := h.phone.Screen.UITree()
	require.NotNil(t, tree.Find(func(n *Node) bool { return n.Desc == "Navigate up" }))
	require.True(t, shows())
}

func TestTheAnimationScaleIsASetting(t *testing.T) {
	h := hold(t, nil)
	h.phone.Settings.PutSetting("global", "transition_animation_scale", "10")
	h.open(settingsApp)
	h.wait(2 * time.Second)
	moving := h.phone.Screenshot()
	h.wait(2 * time.Second)
	require.NotEqual(t, moving.Pix, h.phone.Screenshot().Pix, "3.6 seconds long")
}

func TestAFrameIsDrawnOnlyWhenSomethingChanged(t *testing.T) {
	h := hold(t, nil)
	first := h.phone.Screenshot()
	h.wait(time.Second)
	require.Same(t, first, h.phone.Screenshot())
	h.wait(time.Minute)
	next := h.phone.Screenshot()
	require.NotSame(t, first, next, "the clock went on")
	require.NotEqual(t, first.Pix, next.Pix)
}

func TestTheCursorBlinks(t *testing.T) {
	h := editor(t, nil)
	lit := h.phone.Screenshot()
	h.wait(600 * time.Millisecond)
	require.NotEqual(t, lit.Pix, h.phone.Screenshot().Pix)
	h.wait(500 * time.Millisecond)
	require.Equal(t, lit.Pix, h.phone.Screenshot().Pix)
}

func TestAToastGoesByItself(t *testing.T) {
	h := hold(t, nil)
	plain := h.phone.Screenshot()
	h.phone.core.do(func() { h.phone.core.sys.Show("Saved", "已保存") })
	require.NotEqual(t, plain.Pix, h.phone.Screenshot().Pix)
	h.wait(3 * time.Second)
	require.Equal(t, plain.Pix, h.phone.Screenshot().Pix)
}

func TestDarkModeIsDark(t *testing.T) {
	h := hold(t, nil)
	h.open(settingsApp)
	light := h.phone.Screenshot().RGBAAt(4, 300)
	h.phone.Settings.PutSetting("secure", "ui_night_mode", "2")
	dark := h.phone.Screenshot().RGBAAt(4, 300)
	require.Greater(t, light.R, uint8(200))
	require.Less(t, dark.R, uint8(60))
}

func TestTurningLaysAppsOutAnewAndCoordinatesFollow(t *testing.T) {
	h := hold(t, nil)
	h.open(settingsApp)
	h.touch("row_network")
	tall := h.see("pref_wifi_on").Bounds
	h.phone.Display.SetRotation(1)
	require.Equal(t, 1, h.phone.Display.Rotation())
	require.Equal(t, image.Pt(2400, 1080), h.phone.Display.Size())
	require.Equal(t, image.Pt(1080, 2400), h.phone.Display.PhysicalSize(),
		"the panel does not turn")
	require.Equal(t, image.Rect(0, 0, 2400, 1080), h.phone.Screenshot().Rect)
	wide := h.see("pref_wifi_on").Bounds
	require.Greater(t, wide.Dx(), 2*tall.Dx())
	h.phone.Touch.Tap(2200, (wide.Min.Y+wide.Max.Y)/2)
	v, _ := h.phone.Settings.Setting("global", "wifi_on")
	require.Equal(t, "0", v)
	h.phone.Display.SetRotation(7)
	require.Equal(t, 3, h.phone.Display.Rotation())
	h.phone.Settings.PutSetting("system", "accelerometer_rotation", "1")
	require.Equal(t, 0, h.phone.Display.Rotation(),
		"the phone lies still, so auto-rotation keeps it upright")
}

func TestATurnedDisplayShowsWhatIsNeeded(t *testing.T) {
	h := hold(t, &Options{PIN: "2468"})
	h.phone.Display.SetRotation(1)
	h.see("icon_shop")
	h.keyCodes(KeyPower, KeyPower, KeyMenu)
	for _, key := range []string{"key1", "key9", "key0", "key_enter"} {
		require.Equal(t, h.see("key5").Bounds.Dy(), h.see(key).Bounds.Dy(), "%s is whole", key)
	}
	h.touchAll("key2", "key4", "key6", "key8", "key_enter")
	require.False(t, h.phone.Lock.Locked())
}

func TestTheFirstTransitionBeginsAtTheHomeScreen(t *testing.T) {
	one := 1.0
	h := hold(t, &Options{AnimationScale: &one})
	home := h.phone.Screenshot().RGBAAt(540, 600)
	h = hold(t, &Options{AnimationScale: &one})
	h.open(settingsApp)
	require.Equal(t, home, h.phone.Screenshot().RGBAAt(540, 600), "nothing has moved yet")
}

func TestAnOverrideSizeIsWhatAppsAndInputSee(t *testing.T) {
	h := hold(t, &Options{Density: 280})
	require.Zero(t, h.phone.Display.Override())
	h.phone.Display.SetOverride(image.Pt(720, 1600))
	size := h.phone.Display.Override()
	require.Equal(t, image.Pt(720, 1600), size)
	require.Equal(t, size, h.phone.Screenshot().Rect.Size())
	h.touch("icon_shop")
	require.Equal(t, shopApp, h.phone.Screen.Foreground().Package)
	h.phone.Display.SetRotation(1)
	require.Equal(t, image.Pt(1600, 720), h.phone.Screenshot().Rect.Size())
	h.phone.Display.SetRotation(0)
	h.phone.Display.SetOverride(image.Point{})
	require.Equal(t, image.Pt(1080, 2400), h.phone.Screenshot().Rect.Size())
	h.phone.Display.SetOverride(image.Pt(-5, 1<<30))
	require.Equal(t, image.Pt(200, 8192), h.phone.Display.Override())
}

func TestSomePhonesCapturePhysicalPixelsUnderAnOverride(t *testing.T) {
	h := hold(t, &Options{CapturePhysical: true})
	h.phone.Display.SetOverride(image.Pt(720, 1600))
	require.Equal(t, image.Pt(1080, 2400), h.phone.Screenshot().Rect.Size())
	h.phone.Display.SetRotation(1)
	require.Equal(t, image.Pt(2400, 1080), h.phone.Screenshot().Rect.Size())
	require.Equal(t, image.Pt(1600, 720), h.phone.Display.Size(), "input goes by the override")
}
