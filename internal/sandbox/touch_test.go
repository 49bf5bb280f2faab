package sandbox

import (
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

func TestScrollingFollowsTheFingerAndStopsAtTheEnds(t *testing.T) {
	h := hold(t, nil)
	h.open(settingsApp)
	top := h.see("row_display").Bounds.Min.Y
	h.phone.Touch.Swipe(540, 1500, 540, 1300, 300*time.Millisecond)
	require.Equal(t, top-200, h.see("row_display").Bounds.Min.Y,
		"the list moves with the finger, pixel by pixel")
	h.phone.Touch.Swipe(540, 1300, 900, 1290, 300*time.Millisecond)
	require.Equal(t, top-200, h.see("row_display").Bounds.Min.Y, "a sideways swipe does not scroll")
	h.phone.Touch.Swipe(540, 900, 540, 2200, 100*time.Millisecond)
	require.Equal(t, top, h.see("row_display").Bounds.Min.Y, "not above its top")
	for range 5 {
		h.phone.Touch.Swipe(540, 2000, 540, 400, 100*time.Millisecond)
	}
	last := h.see("row_about").Bounds
	require.Less(t, last.Max.Y, 2274, "the last row is above the navigation bar")
	require.Greater(t, last.Max.Y, 2150, "and not scrolled further than needed")
	h.touch("row_about")
	h.touch("up")
	require.Equal(t, last, h.see("row_about").Bounds, "coming back, the list is where it was left")
}

func TestTapsBesideTheDisplayAreIgnored(t *testing.T) {
	h := hold(t, nil)
	h.open(settingsApp)
	before := h.phone.Screen.DumpXML()
	for _, p := range []image.Point{{-1, 500}, {1080, 500}, {500, 2400}, {500, -1},
		{1 << 40, -1 << 40}} {
		h.phone.Touch.Tap(p.X, p.Y)
		h.phone.Touch.Swipe(p.X, p.Y, 500, 500, time.Second)
		h.phone.Touch.DragAndDrop(p.X, p.Y, 500, 500, time.Second)
	}
	require.Equal(t, string(before), string(h.phone.Screen.DumpXML()))
}

func TestDoubleTapNeedsTwoQuickTapsOnOnePlace(t *testing.T) {
	liked := func(gap time.Duration, first string) (n int) {
		h := hold(t, nil)
		h.open(messagesApp)
		h.touch("Anna Berg")
		a, b := h.see(first).Center(), h.see("See you there").Center()
		h.wait(time.Second)
		h.phone.Touch.Tap(a.X, a.Y)
		h.wait(gap)
		h.phone.Touch.Tap(b.X, b.Y)
		h.phone.Inspect(func(d *apps.Data) {
			for _, m := range d.Thread("Anna Berg").Messages {
				if m.Liked {
					n++
				}
			}
		})
		return n
	}
	require.Equal(t, 1, liked(200*time.Millisecond, "See you there"))
	require.Equal(t, 0, liked(600*time.Millisecond, "See you there"), "too slow")
	require.Equal(t, 0, liked(200*time.Millisecond, "Dinner at 19:00 at Luigi's?"), "another place")
}

func TestNotesAreReorderedByDragging(t *testing.T) {
	order := func(h *hand) (out []string) {
		h.phone.Inspect(func(d *apps.Data) {
			for _, n := range d.Notes {
				out = append(out, n.Title)
			}
		})
		return out
	}
	h := hold(t, nil)
	h.open(notesApp)
	from, to := h.see("Ideas").Center(), h.see("Packing list").Center()
	h.phone.Touch.DragAndDrop(from.X, from.Y, to.X, to.Y, time.Second)
	require.Equal(t, []string{"Wi-Fi guests", "Packing list", "Ideas"}, order(h), "held and moved")
	from, to = h.see("Reorder Ideas").Center(), h.see("Wi-Fi guests").Center()
	h.phone.Touch.Swipe(from.X, from.Y, to.X, to.Y, 300*time.Millisecond)
	require.Equal(t, []string{"Ideas", "Wi-Fi guests", "Packing list"}, order(h),
		"pulled by the handle")
	from = h.see("Packing list").Center()
	h.phone.Touch.Swipe(from.X, from.Y, to.X, 500, 300*time.Millisecond)
	require.Equal(t, []string{"Ideas", "Wi-Fi guests", "Packing list"}, order(h),
		"a swipe over a card only scrolls")
	h.phone.Touch.DragAndDrop(from.X, from.Y, 540, 2000, time.Second)
	require.Equal(t, []string{"Ideas", "Wi-Fi guests", "Packing list"}, order(h),
		"dropped next to everything")
}

func TestAPuzzleStandsBeforeTheCodeOfAWaryShop(t *testing.T) {
	h := hold(t, nil)
	h.phone.Edit(func(d *apps.Data) { d.Shop.Wary = true })
	h.open(shopApp)
	h.touchAll("account", "log_in", "login_number")
	h.phone.Keys.Text("5550123\n")
	b := h.see("captcha_slider").Bounds
	gap := func() (x int) {
		img := h.phone.Screenshot()
		for x = range img.Rect.Max.X {
			for y := range img.Rect.Max.Y {
				if c := img.RGBAAt(x, y); c.R == 0x4a && c.G == 0x0d && c.B == 0x4f {
					return x
				}
			}
		}
		return -1
	}
	first := gap()
	require.Positive(t, first, "the picture shows it")
	h.phone.Touch.Swipe(b.Min.X+20, b.Min.Y+20, first-90, b.Min.Y+20, time.Second)
	require.NotEqual(t, first, gap(), "there is another gap after each try")
	h.phone.Touch.Swipe(b.Min.X+20, b.Min.Y+20, gap()+50, b.Min.Y+20, time.Second)
	h.see("login_code")
}

func TestALongPressAsksAndATapBesideClosesTheDialogUnlessItMustBeAnswered(t *testing.T) {
	h := hold(t, nil)
	h.open(clockApp)
	c := h.see("06:00").Center()
	h.phone.Touch.Swipe(c.X, c.Y, c.X, c.Y, 500*time.Millisecond)
	h.see("delete")
	h.phone.Touch.Tap(540, 300)
	h.gone("delete")
	h.phone.Touch.Swipe(c.X, c.Y, c.X, c.Y, 499*time.Millisecond)
	h.see("hours") // shorter is a tap

	h.open(messagesApp)
	h.touch("start_chat")
	require.Equal(t, "com.android.permissioncontroller", h.phone.Screen.Foreground().Package)
	h.phone.Touch.Tap(540, 300)
	require.NoError(t, h.phone.Keys.Key(KeyBack))
	h.touch("permission_deny_button")
	require.Equal(t, messagesApp, h.phone.Screen.Foreground().Package)
	h.gone("contact")
	h.touch("recipient")
	h.phone.Keys.Text("5550199\n")
	require.Equal(t, "5550199", h.see("title").Text)
}

func TestAMessageIsAnnouncedAndItsBannerOpensIt(t *testing.T) {
	h := hold(t, nil)
	h.open(shopApp)
	h.touchAll("account", "log_in", "login_number")
	h.phone.Keys.Text("5550123\n")
	plain := h.phone.Screenshot()
	h.wait(1500 * time.Millisecond)
	require.Empty(t, h.phone.core.sys.Notifications, "the message takes two seconds")
	h.wait(time.Second)
	shown := h.phone.Screenshot()
	require.NotEqual(t, plain.Pix, shown.Pix)
	h.phone.Touch.Tap(540, 160)
	require.Equal(t, "com.android.messaging/.Conversation", h.phone.Screen.Foreground().Component())
	require.Equal(t, "Shop", h.see("title").Text)
	require.NoError(t, h.phone.Keys.Key(KeyRecents))
	h.touch("Shop")
	h.see("login_code")

	h.touch("login_number")
	h.phone.Keys.Text("\n")
	h.wait(3 * time.Second)
	h.phone.Screenshot()
	h.wait(6 * time.Second)
	h.phone.Touch.Tap(540, 160)
	require.Equal(t, "com.taploop.sandbox.shop/.Login", h.phone.Screen.Foreground().Component(),
		"the banner is gone after five seconds")
}

func TestAConversationStaysAtItsEnd(t *testing.T) {
	h := hold(t, nil)
	h.phone.Edit(func(d *apps.Data) {
		for i := range 30 {
			d.Receive("Tom", "", fmt.Sprintf("line %d", i), morning)
		}
	})
	h.open(messagesApp)
	h.touch("Tom")
	h.see("line 29")
	h.touch("compose_message_text")
	h.see("line 29")
	h.phone.Keys.Text("line 30\n")
	h.see("line 30")
	for range 3 {
		h.phone.Touch.Swipe(540, 600, 540, 1200, 300*time.Millisecond)
	}
	h.gone("line 30")
	h.keyCodes(KeyBack)
	h.phone.Edit(func(d *apps.Data) { d.Receive("Tom", "", "line 31", morning) })
	h.gone("line 31") // who reads above is not pulled down
}

func TestANotificationOnTheLockScreenWaitsForThePIN(t *testing.T) {
	h := hold(t, &Options{Locked: true, PIN: "2468"})
	h.phone.core.do(func() {
		h.phone.core.sys.Notify(apps.Notification{Package: clockApp, Title: "Timer",
			Text: "Time's up"})
	})
	h.touch("Timer")
	h.see("pinEntry")
	require.Len(t, h.phone.core.sys.Notifications, 1)
	h.phone.Keys.Text("2468\n")
	require.False(t, h.phone.Lock.Locked())
}
