package sandbox

import (
	"image"
	"image/color"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

func black(img *image.RGBA) bool {
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			if img.RGBAAt(x, y) != (color.RGBA{A: 255}) {
				return false
			}
		}
	}
	return true
}

func (h *hand) keyCodes(codes ...int) {
	h.t.Helper()
	for _, c := range codes {
		require.NoError(h.t, h.phone.Keys.Key(c))
	}
}

func TestAPhoneThatIsOffShowsNothingAndFeelsNothing(t *testing.T) {
	h := hold(t, nil)
	h.open(notesApp)
	h.touch("new_note")
	h.keyCodes(KeyPower)
	require.False(t, h.phone.Lock.On())
	require.True(t, h.phone.Lock.Locked())
	require.True(t, black(h.phone.Screenshot()))
	require.Equal(t, image.Pt(1080, 2400), h.phone.Screenshot().Rect.Size())
	h.phone.Keys.Text("lost")
	h.phone.Touch.Tap(540, 1200)
	h.phone.Touch.Swipe(540, 2000, 540, 500, time.Second)
	h.keyCodes(KeyHome, KeyBack, KeyMenu, KeyEnter, KeySleep)
	require.False(t, h.phone.Lock.On())
	h.keyCodes(KeyWakeUp, KeyWakeUp)
	require.True(t, h.phone.Lock.On())
	require.True(t, h.phone.Lock.Locked(), "touch did not unlock it while it was off")
	require.Equal(t, Window{Package: systemUI, Activity: "NotificationShade"},
		h.phone.Screen.Foreground())
	require.Equal(t, "Swipe up to unlock", h.texts()[len(h.texts())-1])
	h.phone.Touch.Swipe(540, 2000, 540, 500, 300*time.Millisecond)
	require.False(t, h.phone.Lock.Locked())
	require.Equal(t, ".NoteEdit", h.phone.Screen.Foreground().Activity, "as it was left")
	require.Equal(t, "Title", h.see("edit_title").Text, "nothing was typed")
}

func TestPowerAndSleepKeys(t *testing.T) {
	h := hold(t, nil)
	h.keyCodes(KeySleep)
	require.False(t, h.phone.Lock.On())
	h.keyCodes(KeyPower)
	require.True(t, h.phone.Lock.On())
	h.keyCodes(KeyMenu)
	require.False(t, h.phone.Lock.Locked(), "menu dismisses the lock screen")
}

func TestTheLockScreenTakesNothingButItsOwn(t *testing.T) {
	h := hold(t, &Options{Locked: true})
	h.phone.Touch.Tap(200, 1000)
	h.keyCodes(KeyHome, KeyBack, KeyRecents)
	h.phone.Touch.Swipe(540, 500, 540, 2000, 300*time.Millisecond)
	h.phone.Touch.Swipe(540, 1000, 900, 1000, 300*time.Millisecond)
	require.True(t, h.phone.Lock.Locked())
	h.phone.Lock.DismissKeyguard()
	require.False(t, h.phone.Lock.Locked())
	h.phone.Lock.DismissKeyguard()
	require.False(t, h.phone.Lock.Locked())
}

func TestAPINMustBeRight(t *testing.T) {
	h := hold(t, &Options{Locked: true, PIN: "2468"})
	require.True(t, h.phone.Lock.HasPIN())
	h.phone.Lock.DismissKeyguard()
	require.True(t, h.phone.Lock.Locked())
	h.touchAll("key2", "key4", "key6", "key6", "key_enter")
	require.Equal(t, "Wrong PIN", h.see("keyguard_message").Text)
	h.touchAll("key2", "key4", "key4", "delete_button", "key6", "key8", "key_enter")
	require.False(t, h.phone.Lock.Locked())

	h.keyCodes(KeyPower, KeyPower)
	h.phone.Touch.Swipe(540, 2000, 540, 500, 300*time.Millisecond)
	h.see("pinEntry")
	h.keyCodes(KeyBack)
	h.gone("pinEntry")
	h.keyCodes(KeyMenu)
	h.phone.Keys.Text("1111\n2468")
	h.keyCodes(KeyEnter)
	require.False(t, h.phone.Lock.Locked(), "digits from a hardware keyboard count too")

	h.keyCodes(KeyPower)
	h.phone.Lock.DismissKeyguard()
	require.True(t, h.phone.Lock.Locked())
	h.keyCodes(KeyPower, KeyMenu)
	h.phone.Keys.Text("24")
	h.keyCodes(KeyDelete)
	h.phone.Keys.Text("468\n")
	require.False(t, h.phone.Lock.Locked())
}

func TestASecureWindowIsCapturedBlackAndStillListed(t *testing.T) {
	h := hold(t, nil)
	h.phone.Task("cart-merino")
	walks["cart-merino"](h)
	h.touchAll("cart", "checkout", "login_number")
	h.phone.Keys.Text("5550123\n")
	h.wait(3 * time.Second)
	h.phone.Keys.Text(h.newestCode() + "\n")
	h.wait(6 * time.Second)
	require.False(t, black(h.phone.Screenshot()))
	h.touch("pay")
	require.Equal(t, Window{Package: shopApp, Activity: ".Pay", Secure: true},
		h.phone.Screen.Foreground())
	require.True(t, h.phone.Lock.On())
	require.True(t, black(window(h)), "the window is black")
	require.False(t, black(h.phone.Screenshot()),
		"the clock and the navigation bar are not its own")
	require.True(t, h.see("wallet_pin").Password)
	h.phone.Keys.Text("25")
	require.Equal(t, "••", h.see("wallet_pin").Text, "the tree does not tell the PIN")
	h.keyCodes(KeyBack, KeyBack)
	require.False(t, black(window(h)))
}

// window is the capture without the system's bars and the keyboard.
func window(h *hand) *image.RGBA {
	shot, m := h.phone.Screenshot(), ui.Metrics{Density: h.phone.Display.Density()}
	r := shot.Rect
	r.Min.Y += m.Px(statusHeight)
	r.Max.Y /= 2
	return shot.SubImage(r).(*image.RGBA)
}

func TestScreenshotsAreOpaque(t *testing.T) {
	one := 1.0
	h := hold(t, &Options{AnimationScale: &one})
	h.open(settingsApp)
	h.wait(100 * time.Millisecond)
	require.True(t, h.phone.Screenshot().Opaque(), "in the middle of a transition")
	h.wait(time.Second)
	require.True(t, h.phone.Screenshot().Opaque())
	require.Equal(t, color.RGBA{0xf4, 0xf5, 0xf9, 255}, h.phone.Screenshot().RGBAAt(2, 300))
}
