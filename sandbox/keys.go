package sandbox

import (
	"strconv"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

// Android's key codes that the phone acts on.
const (
	KeyHome       = 3
	KeyBack       = 4
	key0          = 7
	key9          = 16
	KeyUp         = 19
	KeyDown       = 20
	KeyLeft       = 21
	KeyRight      = 22
	KeyCenter     = 23
	KeyVolumeUp   = 24
	KeyVolumeDown = 25
	KeyPower      = 26
	keyA          = 29
	keyZ          = 54
	KeyTab        = 61
	KeySpace      = 62
	KeyEnter      = 66
	KeyDelete     = 67
	KeyMenu       = 82
	KeyEscape     = 111
	KeyForwardDel = 112
	KeyMoveHome   = 122
	KeyMoveEnd    = 123
	KeyRecents    = 187
	KeySleep      = 223
	KeyWakeUp     = 224
)

// press does what a key does. While the display is off only power and wake-up do anything.
func (p *Phone) press(code int) {
	switch {
	case code == KeyPower && !p.off, code == KeySleep && !p.off:
		p.sleep()
	case code == KeyPower, code == KeyWakeUp:
		if p.off {
			p.wake()
		}
	case p.off:
	case p.locked:
		p.lockedKey(code)
	default:
		if !p.systemKey(code) {
			p.editKey(code)
		}
	}
}

func (p *Phone) lockedKey(code int) {
	switch code {
	case KeyMenu:
		_ = p.dismiss() // with a PIN it asks for it: that is the key's effect
	case KeyBack:
		if p.bouncer {
			p.bouncer, p.pin = false, ""
			p.sys.Moved(apps.Popup)
		}
	case KeyEnter:
		if p.bouncer {
			p.tryPIN()
		}
	case KeyDelete:
		p.pin = p.pin[:max(len(p.pin)-1, 0)]
	}
	if code >= key0 && code <= key9 && p.bouncer {
		p.pinDigit(rune('0' + code - key0))
	}
}

// systemKey handles the keys that no field sees.
func (p *Phone) systemKey(code int) bool {
	switch code {
	case KeyHome:
		p.goHome()
	case KeyBack, KeyEscape:
		p.back()
	case KeyRecents:
		p.toggleRecents()
	case KeyVolumeUp:
		p.volume(1)
	case KeyVolumeDown:
		p.volume(-1)
	default:
		return false
	}
	return true
}

func (p *Phone) back() {
	switch {
	case p.cover != coverNone:
		p.cover = coverNone
		p.sys.Moved(apps.Popup)
	case p.scene().keyboard != nil:
		p.keyboardHidden = true
	case !p.front.Back() && p.front != p.home:
		p.end(p.front.App.Package)
	}
}

func (p *Phone) toggleRecents() {
	if p.cover == coverRecents {
		p.cover = coverNone
	} else {
		p.cover = coverRecents
	}
	p.sys.Moved(apps.Popup)
}

func (p *Phone) volume(by int) {
	v := min(max(p.sys.Settings.Int(apps.System, "volume_music_speaker", 7)+by, 0), 15)
	p.sys.Settings.Put(apps.System, "volume_music_speaker", strconv.Itoa(v))
	p.sys.Show("Volume "+strconv.Itoa(v)+" of 15", "音量 "+strconv.Itoa(v)+" / 15")
}

// editKey handles what a hardware keyboard sends to the focused field.
func (p *Phone) editKey(code int) {
	f := p.field()
	switch code {
	case KeyTab, KeyDown:
		p.nextField(1)
		return
	case KeyUp:
		p.nextField(-1)
		return
	}
	if f == nil {
		return
	}
	p.stage.edited = p.sys.Now()
	switch code {
	case KeyDelete:
		f.Delete(-1)
	case KeyForwardDel:
		f.Delete(1)
	case KeyMoveHome:
		f.MoveTo(0)
	case KeyMoveEnd:
		f.End()
	case KeyLeft:
		f.Move(-1)
	case KeyRight:
		f.Move(1)
	case KeyEnter, KeyCenter:
		p.enter()
	case KeySpace:
		f.Insert(" ")
	default:
		p.letterKey(f, code)
	}
}

func (p *Phone) letterKey(f *ui.View, code int) {
	switch {
	case code >= key0 && code <= key9:
		f.Insert(string(rune('0' + code - key0)))
	case code >= keyA && code <= keyZ:
		f.Insert(string(rune('a' + code - keyA)))
	}
}

// nextField moves the focus to the field after or before the focused one, or to the first.
func (p *Phone) nextField(by int) {
	s := p.scene()
	front := s.window[len(s.window)-1]
	var fields []*ui.View
	at := -1
	front.view.Walk(func(v *ui.View) {
		if v.IsField() {
			if v == s.field {
				at = len(fields)
			}
			fields = append(fields, v)
		}
	})
	if len(fields) == 0 {
		return
	}
	next := fields[max((at+by+len(fields))%len(fields), 0)]
	p.touched(next)
	front.mem.Focus, front.mem.Reveal = next.Name(), true
	next.End()
}

// Chord presses several keys at once: Ctrl (113, 114) with A selects the focused field's text, with other keys nothing.
func (p *Phone) Chord(codes ...int) {
	p.do(func() {
		f := p.field()
		if f != nil && !p.off && len(codes) == 2 && (codes[0] == 113 || codes[0] == 114) && codes[1] == keyA {
			f.SelectAll()
		}
	})
}
