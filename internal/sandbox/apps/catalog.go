package apps

// All lists the apps that are installed on every phone.
func All() []*App { return []*App{launcher, settings, messages, clock, notes, shop} }

// More lists further apps, which are installed where a phone is to have them.
func More() []*App {
	return []*App{people, calendar, browser, timers, clipper, slow, broken, vault, camera, dialer}
}
