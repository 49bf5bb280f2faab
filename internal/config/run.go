package config

import (
	"time"
)

// ADB says how phones are reached.
type ADB struct {
	Server  string        `koanf:"server"`
	Path    string        `koanf:"path"`
	Timeout time.Duration `koanf:"timeout"`
	Serial  string        `koanf:"serial"`
}

// Device says what becomes of phones that go away.
type Device struct {
	Reconnect time.Duration `koanf:"reconnect"`
}

// Loop bounds a run.
type Loop struct {
	MaxSteps      int           `koanf:"max_steps"`
	MaxTime       time.Duration `koanf:"max_time"`
	SettleTimeout time.Duration `koanf:"settle_timeout"`
	KeepApps      bool          `koanf:"keep_apps"`
	HandOver      bool          `koanf:"hand_over"`
	AskEarly      string        `koanf:"ask_early"`
}

var runSettings = []setting{
	{"adb.server", "", nil,
		"ADB server, host:port; the default is ADB's own variables, else 127.0.0.1:5037"},
	{"adb.path", "", nil,
		"the adb binary that starts a server when none runs; the default is adb in PATH"},
	{"adb.timeout", "15s", positive, "longest time for one command on a phone"},
	{"adb.serial", "", nil,
		"the phone to use; the default is ANDROID_SERIAL, else the only usable one"},
	{"device.reconnect", "2m", orDefault(positive),
		"how long `taploop run` and `continue` wait for a phone that has gone away, under " +
			"whatever address it comes back, before they end with the run paused; 0 ends at " +
			"once. A server's run resumes whenever its phone is back, unless it was stopped"},

	{"loop.max_steps", "40", between(1, 10000), "most steps of one call, whatever the caller asks"},
	{"loop.max_time", "30m", positive, "longest time of one call's steps"},
	{"loop.settle_timeout", "3s", positive,
		"longest wait for the screen to settle after an action"},
	{"loop.ask_early", Auto, oneOf(Auto, On, Off),
		"whether the model is asked before the screen is known to be at rest, and once more when " +
			"it moved on: on, off; auto is on for a model on this machine or in a private " +
			"network, once the phone has shown that it saves time"},
	{"loop.hand_over", "true", nil,
		"A server asks a person to take the phone over where its screen is locked or forbids " +
			"capture (`TAKEOVER_NEEDED`). Otherwise the run is paused, as `SCREEN_LOCKED` or " +
			"`SECURE_SCREEN`; at the command line it always is."},
	{"loop.keep_apps", "false", nil,
		"whether a new task finds even the first app that it opens as it was left; otherwise " +
			"that app is ended before it is opened, so that it shows its first page"},
}
