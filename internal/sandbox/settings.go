package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

func defaultSettings(o *Options) apps.Settings {
	s := apps.Settings{}
	scale := "1"
	if o.AnimationScale != nil {
		scale = strconv.FormatFloat(*o.AnimationScale, 'f', -1, 64)
	}
	for _, v := range [][3]string{
		{apps.System, "accelerometer_rotation", "0"},
		{apps.System, "user_rotation", "0"},
		{apps.System, "screen_brightness", "128"},
		{apps.System, "font_scale", "1.0"},
		{apps.Secure, "default_input_method", latinIME},
		{apps.Secure, "ui_night_mode", "1"},
		{apps.Secure, "location_mode", "3"},
		{apps.Global, "window_animation_scale", scale},
		{apps.Global, "transition_animation_scale", scale},
		{apps.Global, "animator_duration_scale", scale},
		{apps.Global, "airplane_mode_on", "0"},
		{apps.Global, "wifi_on", "1"},
		{apps.Global, "bluetooth_on", "1"},
		{apps.Global, "mobile_data", "1"},
		{apps.Global, "adb_enabled", "1"},
		{apps.Global, "auto_time", "1"},
	} {
		s.Put(v[0], v[1], v[2])
	}
	s.Put(apps.Secure, "enabled_input_methods", strings.Join(o.imes(), ":"))
	return s
}

// Settings are the phone's settings and properties.
type Settings struct{ *core }

// unnamed is the factory serial of a phone that was given none.
const unnamed = "TAPLOOP00001"

// Name gives the phone its factory serial, unless it has one.
func (c *Settings) Name(serial string) {
	c.do(func() { c.opts.Serial = cmp.Or(c.opts.Serial, serial) })
}

func (c *Settings) serial() string { return cmp.Or(c.opts.Serial, unnamed) }

// androidID is what Android made up when the phone was set up. It is the same whenever a phone with
// that serial is made at that place.
func (c *Settings) androidID() string {
	of := c.serial()
	if c.opts.Place != "" {
		host, _ := os.Hostname() // a machine without a name has one place
		of += " " + host + " " + c.opts.Place
	}
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:8])
}

// Setting returns a value of the namespace system, secure or global, and whether it is set.
func (c *Settings) Setting(namespace, key string) (value string, ok bool) {
	look(c.core, func() bool {
		value, ok = c.sys.Settings.Get(namespace, key)
		if !ok && namespace == apps.Secure && key == "android_id" {
			value, ok = c.androidID(), true
		}
		return ok
	})
	return value, ok
}

// All returns the values of a namespace by their names.
func (c *Settings) All(namespace string) map[string]string {
	return look(c.core, func() map[string]string { return maps.Clone(c.sys.Settings[namespace]) })
}

// PutSetting sets a value. What the phone shows and does follows at once: dark mode, rotation,
// Wi-Fi and so on.
func (c *Settings) PutSetting(namespace, key, value string) {
	c.do(func() { c.put(namespace, key, value) })
}

func (c *Settings) put(namespace, key, value string) {
	turned := c.rotation()
	c.sys.Settings.Put(namespace, key, value)
	if c.rotation() != turned {
		c.sys.Moved(apps.Popup)
	}
}

// Props returns what getprop lists.
func (c *Settings) Props() map[string]string {
	serial := look(c.core, c.serial)
	return map[string]string{
		"ro.product.model":         "taploop sandbox",
		"ro.product.manufacturer":  "taploop",
		"ro.product.brand":         "taploop",
		"ro.product.device":        "sandbox",
		"ro.product.name":          "taploop_sandbox",
		"ro.product.locale":        c.opts.localeTag(),
		"ro.build.version.release": "14",
		"ro.build.version.sdk":     "34",
		"ro.serialno":              serial,
		"persist.sys.locale":       c.opts.localeTag(),
		"sys.boot_completed":       "1",
	}
}

func (c *Settings) rotation() int {
	if c.sys.Settings.Bool(apps.System, "accelerometer_rotation") {
		return 0
	}
	return c.sys.Settings.Int(apps.System, "user_rotation", 0) & 3
}
