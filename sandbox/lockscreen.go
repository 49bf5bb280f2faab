package sandbox

import (
	"strings"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

func (p *Phone) lockScreen() *ui.View {
	now := p.sys.Now()
	screen := ui.Column(ui.Gap(map[bool]int{false: 40, true: 4}[p.sys.Wide]),
		ui.Icon("lock").Ink(ui.White).Align(ui.Center),
		ui.Text(now.Format("15:04")).Size(84).Ink(ui.White).Centered().Named("clock"),
		ui.Text(p.sys.Date(now)).Size(18).Ink(ui.White).Centered(),
	).Gap(8).Pad(24, 0)
	if p.bouncer {
		return ui.Column(ui.Gap(8), p.pinPad(), ui.Gap(24)).Pad(24, 0)
	}
	for i := range p.sys.Notifications {
		screen.Add(p.notification(i))
	}
	return screen.Add(ui.Space(), ui.Text(p.sys.Say("Swipe up to unlock", "向上滑动解锁")).Ink(ui.White).Centered().Pad(0, 0, 0, 24))
}

// pinPad asks for the PIN. On a low display its keys are low.
func (p *Phone) pinPad() *ui.View {
	title := p.sys.Say("Enter PIN", "输入 PIN 码")
	if p.wrongPIN {
		title = p.sys.Say("Wrong PIN", "PIN 码错误")
	}
	height, gap := 64, 14
	if p.sys.Wide {
		height, gap = 44, 6
	}
	key := func(face *ui.View, name string, tap func()) *ui.View {
		return face.Ink(ui.White).Fill(ui.RGB(0x3d5078)).Radius(32).Height(height).Grow(1).Class("android.widget.Button").
			Named(name).OnTap(tap)
	}
	label := func(s string) *ui.View { return ui.Text(s).Size(26).Centered() }
	pad := ui.Column(
		ui.Text(title).Size(20).Ink(ui.White).Centered().Named("keyguard_message"),
		ui.Text(strings.Repeat("•", len(p.pin))+" ").Size(34).Ink(ui.White).Centered().Named("pinEntry"), ui.Space(),
	).Gap(gap).Grow(1)
	for _, row := range []string{"123", "456", "789"} {
		r := ui.Row().Gap(18)
		for _, d := range row {
			r.Add(key(label(string(d)), "key"+string(d), func() { p.pinDigit(d) }))
		}
		pad.Add(r)
	}
	return pad.Add(ui.Row(
		key(ui.Icon("erase").Desc(p.sys.Say("Delete", "删除")), "delete_button", func() { p.pin = p.pin[:max(len(p.pin)-1, 0)] }),
		key(label("0"), "key0", func() { p.pinDigit('0') }),
		key(label("OK"), "key_enter", p.tryPIN),
	).Gap(18))
}

func (p *Phone) pinDigit(d rune) {
	if d >= '0' && d <= '9' && len(p.pin) < 16 {
		p.pin += string(d)
		p.wrongPIN = false
	}
}

func (p *Phone) tryPIN() {
	if p.pin == p.opts.PIN {
		p.unlock()
		return
	}
	p.pin, p.wrongPIN = "", true
	p.sys.Moved(apps.Popup)
}
