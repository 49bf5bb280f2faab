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
	{"adb.timeout", "15s", positive},
	{"device.reconnect", "2m", orDefault(positive)},

	{"loop.max_steps", "40", between(1, 10000)},
	{"loop.max_time", "30m", positive},
	{"loop.settle_timeout", "3s", positive},
	{"loop.ask_early", Auto, oneOf(Auto, On, Off)},
	{"loop.hand_over", "true", nil},
	{"loop.keep_apps", "false", nil},
}
