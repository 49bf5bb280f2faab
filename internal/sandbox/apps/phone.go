package apps

import (
	"fmt"
	"slices"
	"time"
)

// Motion is how one screen follows another.
type Motion int

// The motions of screens.
const (
	Still    Motion = iota
	Forward         // a new page
	Backward        // what was there before
	Popup           // something in front comes or goes
)

// Host is what apps see of the phone that they run on. Not safe for concurrent use: the phone
// calls apps under its lock.
type Host struct {
	Settings Settings
	Data     *Data
	Clock    func() time.Time
	Lang     string // one of words.Languages
	Apps     []*App
	Wide     bool   // the display is wider than high
	High     int    // how high it is, in dp
	Front    string // package of the app or the dialog in front, told by the phone
	Page     string // the activity in front, in ".Main" form, told by the phone
	Lower    bool   // apps have their other layout: actions are below

	Toast         string // shown until ToastUntil
	ToastUntil    time.Time
	Notifications []Notification
	BannerUntil   time.Time // the last notification is shown in front until then
	Motion        Motion    // of the last change, taken by the phone
	Want          string    // package to bring to the front, taken by the phone
	Crash         string    // package that crashes, taken by the phone
	timers        []timer
}

// Notification is a line in the notification shade.
type Notification struct {
	Package, Title, Text string
	At                   time.Time
	Open                 func(*Task) // brings the app to the right page
}

type timer struct {
	at   time.Time
	call func()
}

// Now is the phone's time.
func (p *Host) Now() time.Time { return p.Clock() }

// Say chooses a label by the phone's language.
func (p *Host) Say(en, zh string) string { return In(p.Lang, en, zh) }

// In chooses between what a phone has for English and for Chinese.
func In[T any](lang string, en, zh T) T {
	if lang == "zh" {
		return zh
	}
	return en
}

// Show shows a toast for two seconds.
func (p *Host) Show(en, zh string) {
	p.Toast, p.ToastUntil = p.Say(en, zh), p.Now().Add(2*time.Second)
}

// Moved says that the screen changed and how.
func (p *Host) Moved(m Motion) { p.Motion = m }

// After calls f once d has passed, under the phone's lock.
func (p *Host) After(d time.Duration, f func()) {
	p.timers = append(p.timers, timer{p.Now().Add(d), f})
}

// Notify adds a notification and shows it in front for five seconds.
func (p *Host) Notify(n Notification) {
	n.At = p.Now()
	p.Notifications = append(p.Notifications, n)
	p.BannerUntil = n.At.Add(5 * time.Second)
}

// Tick does what has become due, and reports whether anything had.
func (p *Host) Tick() (happened bool) {
	now := p.Now()
	due := func(t timer) bool { return !t.at.After(now) }
	for i := slices.IndexFunc(p.timers, due); i >= 0; i = slices.IndexFunc(p.timers, due) {
		call := p.timers[i].call
		p.timers = slices.Delete(p.timers, i, i+1)
		call()
		happened = true
	}
	if p.Toast != "" && !p.ToastUntil.After(now) {
		p.Toast, happened = "", true
	}
	return happened
}

// Find returns the installed app of a package, or nil.
func (p *Host) Find(pkg string) *App {
	return First(p.Apps, func(a *App) bool { return a.Package == pkg })
}

// Dark reports whether dark mode is on.
func (p *Host) Dark() bool { return p.Settings.Int(Secure, "ui_night_mode", 1) == 2 }

// Date is a day in words.
func (p *Host) Date(t time.Time) string {
	days := []string{"日", "一", "二", "三", "四", "五", "六"}
	return p.Say(t.Format("Monday, January 2"),
		fmt.Sprintf("%d月%d日 星期%s", t.Month(), t.Day(), days[t.Weekday()]))
}
