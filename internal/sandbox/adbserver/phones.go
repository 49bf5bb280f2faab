package adbserver

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/sandbox/shell"
)

// States of a phone, as adb devices lists them.
const (
	StateDevice       = "device"
	StateOffline      = "offline"
	StateUnauthorized = "unauthorized"
)

// features are the capabilities that a phone and the server announce.
const features = "shell_v2,cmd"

// attachedPhone is an attached phone with its faults.
type attachedPhone struct {
	serial string
	id     uint64
	sh     *shell.Shell

	mu sync.Mutex
	health
}

// health is a phone's state and its faults.
type health struct {
	state   string
	open    chan struct{} // closed while the phone answers
	latency time.Duration
	corrupt bool
}

func newPhone(serial string, id uint64, sh *shell.Shell) *attachedPhone {
	p := &attachedPhone{serial: serial, id: id, sh: sh,
		health: health{state: StateDevice, open: make(chan struct{})}}
	close(p.open)
	return p
}

func (p *attachedPhone) now() health {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.health
}

// line is the phone's line of adb devices.
func (p *attachedPhone) line(long bool) string {
	state := p.now().state
	if !long {
		return fmt.Sprintf("%s\t%s\n", p.serial, state)
	}
	out := fmt.Sprintf("%-22s %s usb:1-%d", p.serial, state, p.id)
	if state == StateDevice {
		props := p.sh.Phone().Settings.Props()
		for _, name := range []string{"name", "model", "device"} {
			key := strings.Replace(name, "name", "product", 1)
			value := strings.ReplaceAll(props["ro.product."+name], " ", "_") // one word
			out += " " + key + ":" + value
		}
	}
	return out + fmt.Sprintf(" transport_id:%d\n", p.id)
}

// target says which phone a request is for.
type target struct {
	serial string // "" for any
	id     uint64 // 0 for any
	any    bool   // asked for in so many words
}

// failure is a refusal in the words of the real server, which the client gets unchanged.
type failure string

func (f failure) Error() string { return string(f) }

func (t target) notOne(n int) error {
	switch {
	case t.serial != "":
		return failure(fmt.Sprintf("device '%s' not found", t.serial))
	case t.id != 0:
		return failure(fmt.Sprintf("no device with transport id '%d'", t.id))
	}
	if n > 0 {
		return failure("more than one device/emulator")
	}
	return failure("no devices/emulators found")
}

func (p *attachedPhone) usable() error {
	switch p.now().state {
	case StateOffline:
		return failure("device offline")
	case StateUnauthorized:
		return failure("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\n" +
			"Try 'adb kill-server' if that seems wrong.\nOtherwise check for a confirmation " +
			"dialog on your device.")
	}
	return nil
}

// output wraps the output of a command line in the phone's faults. done hands on what was held
// back.
func (p *attachedPhone) output(cmdline string, w io.Writer) (out io.Writer, done func()) {
	if !p.now().corrupt || !strings.Contains(cmdline, "screencap") {
		return w, func() {}
	}
	var all bytes.Buffer // stdout is never written by two at once
	return &all, func() { _, _ = w.Write(all.Bytes()[:all.Len()/3*2]) }
}
