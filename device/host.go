package device

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
)

// Options of a Host. The zero value works.
type Options struct {
	// "host:port" or as in ADB_SERVER_SOCKET. "" means ADB's own variables, or 127.0.0.1:5037
	// without them
	Server string
	// for one command on a phone, beyond the command's own duration. 0 means 15s
	Timeout time.Duration
	// adb binary that may start the server. "" means the one on PATH, if any
	ADB    string
	Getenv func(string) string // nil means os.Getenv
	Apps   map[string]string   // app name to package, on top of the built-in table
	Log    *slog.Logger        // nil discards
	Memory Keyboards           // nil remembers nothing
}

// Host is one ADB server and its phones. It holds no connection between calls, and is safe for
// concurrent use.
type Host struct {
	client  *adb.Client
	timeout time.Duration
	getenv  func(string) string
	names   map[string]string
	log     *slog.Logger
	memory  Keyboards
	buffers buffers
	waits   waits

	mu     sync.Mutex
	meters map[string]*meter // by serial
}

const (
	defaultTimeout = 15 * time.Second
	listTimeout    = 8 * time.Second // see waits
)

// waits is how long a phone gets until it counts as one that will not. Tests of phones in real time
// shorten it.
type waits struct {
	list  time.Duration // for a phone's details in a list
	field time.Duration // for a field that was just tapped to take input
	wake  time.Duration // for the display to come on and the lock screen to go
}

// NewHost makes a Host without connecting. Its error is about options or variables that cannot be
// read.
func NewHost(opts *Options) (*Host, error) {
	o := *cmp.Or(opts, &Options{})
	o.Timeout = cmp.Or(max(o.Timeout, 0), defaultTimeout)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	client, err := adb.New(&adb.Options{Server: o.Server, ADB: o.ADB, Getenv: o.Getenv, Log: o.Log})
	if err != nil {
		return nil, err
	}
	return newHost(client, o), nil
}

func newHost(client *adb.Client, o Options) *Host {
	names := map[string]string{}
	for name, pkg := range o.Apps {
		names[fold(name)] = pkg
	}
	return &Host{client: client, timeout: o.Timeout, getenv: o.Getenv, names: names, log: o.Log,
		memory: cmp.Or[Keyboards](o.Memory, forgetful{}), buffers: newBuffers(),
		waits: waits{listTimeout, fieldWithin, wakeWithin}, meters: map[string]*meter{}}
}

// Connections is how many connections to the server have been asked for, one for each service.
func (h *Host) Connections() uint64 { return h.client.Connections() }

// List lists the phones that the server has, in its order, starting the server when it may. It
// reads the details of all usable phones at the same time. A phone that does not answer within
// listTimeout is listed as [StateHung] and delays no other.
func (h *Host) List(ctx context.Context) ([]PhoneInfo, error) {
	entries, err := h.entries(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing phones: %w", err)
	}
	list := make([]PhoneInfo, len(entries))
	var wg sync.WaitGroup
	for i, e := range entries {
		wg.Go(func() { list[i] = h.describe(ctx, e) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("listing phones: %w", context.Cause(ctx))
	}
	return list, nil
}

func (h *Host) entries(ctx context.Context) ([]adb.Entry, error) {
	limit := h.timeout + 20*time.Second // a server may have to be started
	server := "the ADB server at " + h.client.Address()
	hung := &hungError{server, "host:devices-l", limit}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, hung)
	defer cancel()
	return h.client.Devices(ctx)
}

// describe is a phone's line of the list. Whatever goes wrong with the phone becomes its state.
func (h *Host) describe(ctx context.Context, e adb.Entry) PhoneInfo {
	info := PhoneInfo{Serial: e.Serial, State: e.State}
	if !info.Usable() {
		return info
	}
	p := h.phone(e)
	p.shell.timeout = min(h.timeout, h.waits.list)
	err := p.readInfo(ctx)
	var hung *hungError
	switch {
	case err == nil:
	case errors.As(err, &hung):
		p.info.State = StateHung
	case errors.Is(err, ErrDisconnected):
		p.info.State = "offline"
	default:
		h.log.InfoContext(ctx, "reading a phone's details", "serial", e.Serial, "err", err)
	}
	return p.info
}

func (h *Host) phone(e adb.Entry) *Phone {
	model := strings.ReplaceAll(e.Props["model"], "_", " ")
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.meters[e.Serial] == nil {
		h.meters[e.Serial] = &meter{}
	}
	sh := &shell{dev: h.client.Device(e.Serial), serial: e.Serial, timeout: h.timeout,
		mark: "taploop-" + rand.Text()}
	keyboard, dumper := &adbKeyboard{sh, h.memory, h.log}, &dumper{shell: sh}
	return &Phone{
		info:     PhoneInfo{Serial: e.Serial, State: e.State, Model: model},
		shell:    sh,
		display:  display{shell: sh, wakes: h.waits.wake},
		capturer: capturer{shell: sh, meter: h.meters[e.Serial], buffers: h.buffers},
		keyboard: keyboard,
		typist:   typist{sh, keyboard, dumper, h.waits.field},
		dumper:   dumper,
		launcher: launcher{sh, h.names},
	}
}

// Open opens a phone. serial "" means $ANDROID_SERIAL, or else the only usable phone. If the choice
// is not clear, the error names the choices.
func (h *Host) Open(ctx context.Context, serial string) (*Phone, error) {
	entries, err := h.entries(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening a phone: %w", err)
	}
	if serial == "" {
		serial = h.getenv("ANDROID_SERIAL")
	}
	e, err := choose(entries, serial)
	if err != nil {
		return nil, err
	}
	p := h.phone(e)
	if err := p.readInfo(ctx); err != nil {
		return nil, fmt.Errorf("opening %s: %w", e.Serial, err)
	}
	return p, nil
}

func choose(entries []adb.Entry, serial string) (adb.Entry, error) {
	var usable []adb.Entry
	for _, e := range entries {
		if serial != "" && e.Serial == serial {
			return e, adb.StateError(e.Serial, e.State)
		}
		if e.State == "device" {
			usable = append(usable, e)
		}
	}
	switch {
	case serial != "":
		return adb.Entry{}, hint.Add(fmt.Errorf("%w %q", ErrNoPhone, serial),
			"use one of: "+serials(entries))
	case len(usable) == 1:
		return usable[0], nil
	case len(usable) > 1:
		return adb.Entry{}, hint.Add(fmt.Errorf("%d %w", len(usable), ErrWhichPhone),
			"name one of: "+serials(usable))
	case len(entries) == 1:
		why := adb.StateError(entries[0].Serial, entries[0].State)
		return adb.Entry{}, fmt.Errorf("%w: %w", ErrNoPhone, why)
	case len(entries) > 1:
		return adb.Entry{}, hint.Add(fmt.Errorf("%w is usable: %s", ErrNoPhone, serials(entries)),
			"unlock the phones, confirm \"Allow USB debugging?\" and check the cables")
	}
	return adb.Entry{}, hint.Add(ErrNoPhone,
		"plug a phone in with USB debugging on, run `adb connect HOST:PORT`, or start an emulator")
}

// Why a phone could not be chosen.
var (
	ErrNoPhone    = errors.New("no phone")
	ErrWhichPhone = errors.New("phones are connected; which one?")
)

// serials lists serials for people, with every state other than "device".
func serials(entries []adb.Entry) string {
	if len(entries) == 0 {
		return "none is connected"
	}
	var names []string
	for _, e := range entries {
		name := e.Serial
		if e.State != "device" {
			name += " (" + e.State + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

var infoCommands = []string{
	"getprop ro.product.model", "getprop ro.build.version.release", "getprop ro.build.version.sdk",
	"wm size",
}

// readInfo fills the phone's PhoneInfo in, in one service.
func (p *Phone) readInfo(ctx context.Context) error {
	s, err := p.shell.read(ctx, infoCommands...)
	if err != nil {
		return err
	}
	if model := strings.TrimSpace(s[0]); model != "" {
		p.info.Model = model
	}
	p.info.Android = strings.TrimSpace(s[1])
	p.info.SDK, _ = strconv.Atoi(strings.TrimSpace(s[2]))
	physical, override := parseWMSize(s[3])
	p.display.opened = geometry{natural: firstSize(override, physical), panel: physical}
	p.info.Size = p.display.opened.natural
	if p.info.Android == "" && !p.info.Size.Valid() {
		return errors.New("the phone reports neither its Android version nor its size: it is " +
			"not Android, or still starting up")
	}
	return nil
}
