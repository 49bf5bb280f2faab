package apps

// All lists the apps that are installed on every phone.
func All() []*App { return []*App{launcher, settings, messages, clock, notes, shop} }
