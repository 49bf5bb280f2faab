package sandbox

import (
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// lockScreen shows the time and what the cards say, or asks for the PIN.
func (l *Lock) lockScreen(cards []*ui.View) *ui.View {
	now := l.sys.Now()
	screen := ui.Column(ui.Gap(map[bool]int{false: 40, true: 4}[l.sys.Wide]),
		ui.Icon("lock").Ink(ui.White).Align(ui.Center),
		ui.Text(now.Format("15:04")).Size(84).Ink(ui.White).Centered().Named("clock"),
		ui.Text(l.sys.Date(now)).Size(18).Ink(ui.White).Centered(),
	).Gap(8).Pad(24, 0)
	if l.bouncer {
		return ui.Column(ui.Gap(8), l.pinPad(), ui.Gap(24)).Pad(24, 0)
	}
	return screen.Add(cards...).Add(ui.Space(), ui.Text(l.sys.Say("Swipe up to unlock", "向上滑动解锁")).
		Ink(ui.White).Centered().Pad(0, 0, 0, 24))
}

// pinPad asks for the PIN. On a low display its keys are low.
func (l *Lock) pinPad() *ui.View {
	title := l.sys.Say("Enter PIN", "输入 PIN 码")
	if l.wrongPIN {
		title = l.sys.Say("Wrong PIN", "PIN 码错误")
	}
	height, gap := 64, 14
	if l.sys.Wide {
		height, gap = 44, 6
	}
	key := func(face *ui.View, name string, tap func()) *ui.View {
		return face.Ink(ui.White).Fill(ui.RGB(0x3d5078)).Radius(32).Height(height).Grow(1).
			Class("android.widget.Button").
			Named(name).OnTap(tap)
	}
	label := func(s string) *ui.View { return ui.Text(s).Size(26).Centered() }
	pad := ui.Column(
		ui.Text(title).Size(20).Ink(ui.White).Centered().Named("keyguard_message"),
		ui.Text(strings.Repeat("•", len(l.pin))+" ").Size(34).Ink(ui.White).Centered().
			Named("pinEntry"), ui.Space(),
	).Gap(gap).Grow(1)
	for _, row := range []string{"123", "456", "789"} {
		r := ui.Row().Gap(18)
		for _, d := range row {
			r.Add(key(label(string(d)), "key"+string(d), func() { l.pinDigit(d) }))
		}
		pad.Add(r)
	}
	return pad.Add(ui.Row(
		key(ui.Icon("erase").Desc(l.sys.Say("Delete", "删除")), "delete_button", l.erase),
		key(label("0"), "key0", func() { l.pinDigit('0') }),
		key(label("OK"), "key_enter", l.tryPIN),
	).Gap(18))
}

func (l *Lock) pinDigit(d rune) {
	if d >= '0' && d <= '9' && len(l.pin) < 16 {
		l.pin += string(d)
		l.wrongPIN = false
	}
}

func (l *Lock) tryPIN() {
	if l.pin == l.opts.PIN {
		l.unlock()
		return
	}
	l.pin, l.wrongPIN = "", true
	l.sys.Moved(apps.Popup)
}
