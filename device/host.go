package device

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/taploop/taploop/screen"
)

// Options of a Host. The zero value works.
type Options struct {
	Server  string              // "host:port" or as in ADB_SERVER_SOCKET; "" means ADB's own variables, else 127.0.0.1:5037
	Timeout time.Duration       // for one command on a phone, beyond what the command itself takes; 0 means 15s
	ADB     string              // adb binary that may start the server; "" means the one on PATH, if any
	Getenv  func(string) string // nil means os.Getenv
	Apps    map[string]string   // app name to package, on top of the built-in table
	Log     *slog.Logger        // nil discards
}

// Host is one ADB server and its phones. It is safe for concurrent use.
type Host struct{ opts Options }

// Info is what is known of a phone without looking at it. Model and what follows are empty for a phone that is not usable.
type Info struct {
	Serial  string      `json:"device_id"`
	State   string      `json:"state"` // as ADB says: device, offline, unauthorized, ...; "not answering" for a phone that hangs
	Model   string      `json:"model,omitempty"`
	Android string      `json:"android_version,omitempty"`
	SDK     int         `json:"sdk,omitempty"`
	Size    screen.Size `json:"size,omitzero"` // logical display in its natural orientation
}

// Usable reports whether the phone takes commands.
func (i Info) Usable() bool { return i.State == "device" }

var errNotYet = errors.New("not built yet")

// NewHost makes a Host. It does not connect yet.
func NewHost(opts *Options) (*Host, error) {
	h := &Host{}
	if opts != nil {
		h.opts = *opts
	}
	return h, nil
}

// List tells the phones that the server has, starting the server when it may. A phone that hangs is listed as such.
func (h *Host) List(ctx context.Context) ([]Info, error) { return nil, errNotYet }

// Open gives a phone. serial "" means $ANDROID_SERIAL, else the only usable phone.
func (h *Host) Open(ctx context.Context, serial string) (*Phone, error) { return nil, errNotYet }

// Close ends the Host. The phones that it opened are closed with it.
func (h *Host) Close() error { return nil }
