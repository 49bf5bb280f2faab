package sandbox

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// hand holds a phone whose time only passes when it waits.
type hand struct {
	phone *Simulator
	t     testing.TB
	now   *time.Time
}

// morning is a Monday.
var morning = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// hold makes a phone without animations; opts may be nil.
func hold(t testing.TB, opts *Options) *hand {
	var o Options
	if opts != nil {
		o = *opts
	}
	now, still := morning, 0.0
	o.Now = func() time.Time { return now }
	if o.AnimationScale == nil {
		o.AnimationScale = &still
	}
	h := &hand{New(&o), t, &now}
	t.Cleanup(h.keepPicture)
	return h
}

// keepPicture leaves the last screen of a failed test behind.
func (h *hand) keepPicture() {
	if !h.t.Failed() {
		return
	}
	name := filepath.Join(os.TempDir(), strings.ReplaceAll(h.t.Name(), "/", "-")+".png")
	f, err := os.Create(name)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if png.Encode(f, h.phone.Screenshot()) == nil {
		h.t.Logf("the last screen is in %s", name)
	}
}

func (h *hand) wait(d time.Duration) { *h.now = h.now.Add(d) }

// find returns the first node of that text, description or resource name, or nil.
func (h *hand) find(what string) *Node {
	root := h.phone.Screen.UITree()
	is := func(get func(*Node) bool) *Node { return root.Find(get) }
	if n := is(func(n *Node) bool {
		return strings.HasSuffix(n.ResourceID,
			":id/"+what)
	}); n != nil {
		return n
	}
	return is(func(n *Node) bool { return n.Text == what || n.Desc == what })
}

func (h *hand) see(what string) *Node {
	h.t.Helper()
	n := h.find(what)
	require.NotNil(h.t, n, "%q is not on the screen: %s", what, h.texts())
	return n
}

func (h *hand) gone(what string) {
	h.t.Helper()
	require.Nil(h.t, h.find(what), "%q is still on the screen", what)
}

func (h *hand) texts() []string {
	root := h.phone.Screen.UITree()
	var out []string
	root.Walk(func(n *Node) {
		if n.Text+n.Desc != "" {
			out = append(out, n.Text+n.Desc)
		}
	})
	return out
}

// touch taps the middle of a node.
func (h *hand) touch(what string) {
	h.t.Helper()
	c := h.see(what).Center()
	h.wait(time.Second)
	h.phone.Touch.Tap(c.X, c.Y)
}

// touchAll taps one after the other.
func (h *hand) touchAll(what ...string) {
	h.t.Helper()
	for _, w := range what {
		h.touch(w)
	}
}

func (h *hand) press(what string) {
	h.t.Helper()
	c := h.see(what).Center()
	h.phone.Touch.Swipe(c.X, c.Y, c.X, c.Y, 600*time.Millisecond)
}

// scrollTo moves the list up until the node is on the screen.
func (h *hand) scrollTo(what string) {
	h.t.Helper()
	for range 12 {
		if n := h.find(what); n != nil && n.Bounds.Dy() > 60 {
			return
		}
		s := h.phone.Display.Size()
		h.phone.Touch.Swipe(s.X/2, s.Y*2/3, s.X/2, s.Y/3, 400*time.Millisecond)
	}
	require.Fail(h.t, "not found by scrolling", "%q; last seen: %s", what, h.texts())
}

// open launches an app by its package.
func (h *hand) open(pkg string) {
	h.t.Helper()
	require.NoError(h.t, h.phone.Apps.Launch(pkg))
}

const (
	settingsApp = "com.android.settings"
	messagesApp = "com.android.messaging"
	clockApp    = "com.android.deskclock"
	notesApp    = "com.taploop.sandbox.notes"
	shopApp     = "com.taploop.sandbox.shop"
)

// key taps a key of the soft keyboard.
func (h *hand) key(desc string) {
	h.t.Helper()
	var at image.Point
	h.phone.core.do(func() {
		if k := h.phone.Screen.scene().keyboard; k != nil {
			v := k.Find(func(v *ui.Placed) bool { return v.Name() == "key_"+strings.ToLower(desc) })
			if v != nil {
				at = v.Bounds().Min.Add(v.Bounds().Max).Div(2)
			}
		}
	})
	require.NotZero(h.t, at, "the keyboard has no key %q now", desc)
	h.wait(time.Second)
	h.phone.Touch.Tap(at.X, at.Y)
}

// keys types text key by key.
func (h *hand) keys(text string) {
	h.t.Helper()
	for _, r := range text {
		switch {
		case r == ' ':
			h.key("space")
		case unicode.IsUpper(r):
			h.key("shift")
			h.key(string(r))
		case unicode.IsLower(r) || r == ',' || r == '.':
			h.key(string(r))
		default:
			h.key("?123")
			h.key(string(r))
			h.key("abc")
		}
	}
}
