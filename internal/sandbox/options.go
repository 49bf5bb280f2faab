package sandbox

import (
	"cmp"
	"image"
	"time"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/words"
)

const (
	launcherPackage = apps.Launcher
	systemUI        = "com.android.systemui"
	latinPackage    = "com.android.inputmethod.latin"
	adbPackage      = "com.android.adbkeyboard"

	latinIME = latinPackage + "/.LatinIME"
	adbIME   = adbPackage + "/.AdbIME"
)

// Options says how a phone is made. The zero value is an unlocked English phone of 1080x2400.
type Options struct {
	Size    image.Point      // physical size in natural orientation, zero means 1080x2400
	Density int              // dots per inch, 0 means 420
	Now     func() time.Time // the phone's clock, nil means time.Now
	Locale  string           // a language's tag, "" means en
	PIN     string           // digits that the lock screen asks for, "" means none
	Serial  string           // of the factory, "" means the first one that it is attached under
	// Place says where it is simulated, such as an address: phones with one serial at several
	// places, or on several machines, are several phones. "" is one place for all.
	Place string
	// Profile adds a profile that the shell may not see, as for work or Samsung's Secure Folder.
	// Commands about all users are refused then.
	Profile bool
	// Closed is the size of another panel, which is dark while the phone is unfolded, and which
	// screencap shows unless a display is named. Zero means that there is none.
	Closed image.Point
	Locked bool // starts at the lock screen
	// Android's animation scale: nil means 1, 0 switches animations off
	AnimationScale *float64
	ADBKeyboard    *bool // whether com.android.adbkeyboard is installed, nil means true
	// CapturePhysical makes captures have the physical size while an override size is set, as some
	// Android versions do.
	CapturePhysical bool
	// Photo is seen over the lower half of every app, as a feed's pictures are, and is not touched.
	// Nil shows none. Captures of a real phone's pictures are as heavy as those of this one.
	Photo *image.RGBA
	More  bool // the further apps of apps.More are installed
	Lower bool // the apps have their other layout
	// Apps are installed in addition to those of every phone.
	Apps []*apps.App
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Size == (image.Point{}) {
		out.Size = image.Pt(1080, 2400)
	}
	out.Density = cmp.Or(out.Density, 420)
	if out.Now == nil {
		out.Now = time.Now
	}
	out.Locale = words.Match(out.Locale)
	return out
}

// localeTag is the locale as Android writes it.
func (o *Options) localeTag() string {
	return apps.In(o.Locale, "en-US", "zh-Hans-CN")
}

func (o *Options) adbKeyboard() bool { return o.ADBKeyboard == nil || *o.ADBKeyboard }

// imes are the input methods that are installed, the system's first.
func (o *Options) imes() []string {
	if o.adbKeyboard() {
		return []string{latinIME, adbIME}
	}
	return []string{latinIME}
}

func (o *Options) installed() []*apps.App {
	list := apps.All()
	if o.More {
		list = append(list, apps.More()...)
	}
	list = append(append(list, o.Apps...),
		&apps.App{Package: systemUI, EN: "System UI", ZH: "系统界面", System: true},
		&apps.App{Package: latinPackage, EN: "Keyboard", ZH: "键盘", System: true},
	)
	if o.adbKeyboard() {
		list = append(list, &apps.App{Package: adbPackage, EN: "ADB Keyboard", ZH: "ADB Keyboard"})
	}
	return list
}
