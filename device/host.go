package device

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/words"
)

// Options of a Host. The zero value works.
type Options struct {
	// "host:port" or as in ADB_SERVER_SOCKET. "" means ADB's own variables, or 127.0.0.1:5037
	// without them
	Server string
	// for one command on a phone, beyond the command's own duration. 0 means 15s
	Timeout time.Duration
	// adb binary that may start the server. "" means the one on PATH, if any
	ADB        string
	StartsNone bool                // see the ADB client: only the usual port gets a server
	Getenv     func(string) string // nil means os.Getenv
	Apps       map[string]string   // app name to package, on top of the built-in table
	Log        *slog.Logger        // nil discards
	Memory     phoneMemory         // nil remembers nothing
	Machine    string              // this machine's name among those that share the Memory
	// Dialer opens the connections to the server. nil means a net.Dialer.
	Dialer interface {
		DialContext(ctx context.Context, network, addr string) (net.Conn, error)
	}
}

// Host is one ADB server and its phones. It holds no connection between calls, and is safe for
// concurrent use.
type Host struct {
	client  *adb.Client
	timeout time.Duration
	getenv  func(string) string
	names   map[string]string
	log     *slog.Logger
	memory  phoneMemory
	machine string
	buffers buffers
	waits   waits

	mu         sync.Mutex
	meters     map[string]*meter   // by phone and way to it
	identities map[string]identity // by connection
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
	client, err := adb.New(&adb.Options{Server: o.Server, ADB: o.ADB, Getenv: o.Getenv,
		Log: o.Log, StartsNone: o.StartsNone, Dialer: o.Dialer})
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
		memory:  cmp.Or[phoneMemory](o.Memory, &forgetful{marks: map[string]string{}}),
		machine: o.Machine,
		buffers: newBuffers(), waits: waits{listTimeout, fieldWithin, wakeWithin},
		meters: map[string]*meter{}, identities: map[string]identity{}}
}

// Connections is how many connections to the server have been asked for, one for each service.
func (h *Host) Connections() uint64 { return h.client.Connections() }

// Dial connects to the server, for what is said in its own protocol until ctx ends.
func (h *Host) Dial(ctx context.Context) (io.ReadWriteCloser, error) { return h.client.Dial(ctx) }

// List lists the phones that the server has, in its order, starting the server when it may. A phone
// with several addresses is listed once. It reads the details of all usable phones at the same
// time. A phone that does not answer within listTimeout is listed as [StateHung] and delays no
// other.
func (h *Host) List(ctx context.Context) ([]PhoneInfo, error) {
	entries, err := h.entries(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing phones: %w", err)
	}
	phones, err := h.all(ctx, entries)
	if err != nil {
		return nil, fmt.Errorf("listing phones: %w", err)
	}
	list := make([]PhoneInfo, len(phones))
	for i, f := range phones {
		list[i] = f.info()
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

// all is every phone, asked now.
func (h *Host) all(ctx context.Context, entries []adb.Entry) ([]found, error) {
	list := h.survey(ctx, entries, func(adb.Entry) bool { return true }, h.waits.list)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return h.gather(ctx, list), nil
}

// survey asks the phones behind those usable entries who they are, all at the same time, each for
// as long as within. Of the other entries it knows what they said before.
func (h *Host) survey(
	ctx context.Context, entries []adb.Entry, ask func(adb.Entry) bool, within time.Duration,
) []address {
	all := make([]address, len(entries))
	var wg sync.WaitGroup
	for i, e := range entries {
		all[i].Entry = e
		if !all[i].usable() {
			continue
		}
		if !ask(e) {
			all[i].identity = h.said(e)
			continue
		}
		wg.Go(func() { all[i] = h.describe(ctx, e, entries, within) })
	}
	wg.Wait()
	return all
}

// said is what the phone behind the entry said of itself when it was asked last.
func (h *Host) said(e adb.Entry) identity {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.identities[connection(e)]
}

// connection names an entry for as long as the server keeps the connection to it.
func connection(e adb.Entry) string { return e.Serial + " " + e.Props["transport_id"] }

// describe reads a phone's details. Whatever goes wrong with the phone becomes its state.
func (h *Host) describe(
	ctx context.Context, e adb.Entry, all []adb.Entry, within time.Duration,
) address {
	a := address{Entry: e, phone: h.phone(e, all)}
	a.phone.shell.timeout = min(h.timeout, within)
	a.err = a.phone.readInfo(ctx)
	a.phone.shell.timeout = h.timeout
	var hung *hungError
	switch {
	case a.err == nil:
	case errors.As(a.err, &hung):
		a.State = StateHung
	case errors.Is(a.err, screen.ErrDisconnected):
		a.State = "offline"
	default:
		h.log.InfoContext(ctx, "reading a phone's details", "serial", e.Serial, "err", a.err)
	}
	a.identity = a.phone.identity
	h.mu.Lock()
	defer h.mu.Unlock()
	h.identities[connection(e)] = a.identity
	return a
}

// info is the phone's line of the list.
func (f *found) info() PhoneInfo {
	first := f.addresses[0]
	info := PhoneInfo{}
	if first.phone != nil {
		info = first.phone.info
	}
	info.Serial, info.State = f.id, first.State
	for _, a := range f.addresses {
		if len(f.addresses) > 1 || a.Serial != f.id {
			info.Addresses = append(info.Addresses, a.Serial)
		}
	}
	return info
}

func (h *Host) phone(e adb.Entry, all []adb.Entry) *Phone {
	model := strings.ReplaceAll(e.Props["model"], "_", " ")
	sh := &shell{id: e.Serial, timeout: h.timeout, mark: "taploop-" + rand.Text()}
	sh.dev.Store(h.device(e, all))
	keyboard, dumper := &adbKeyboard{sh, h.memory, h.log}, &dumper{shell: sh}
	return &Phone{
		info:     PhoneInfo{Serial: e.Serial, State: e.State, Model: model},
		shell:    sh,
		display:  display{shell: sh, wakes: h.waits.wake},
		capturer: capturer{shell: sh, buffers: h.buffers},
		keyboard: keyboard,
		typist:   typist{sh, keyboard, dumper, h.waits.field},
		dumper:   dumper,
		launcher: launcher{sh, h.names},
	}
}

// device addresses an entry by its serial, or by its transport where others share the serial.
func (h *Host) device(e adb.Entry, all []adb.Entry) *adb.Device {
	id, times := e.Props["transport_id"], 0
	for _, o := range all {
		if o.Serial == e.Serial {
			times++
		}
	}
	if times > 1 && id != "" {
		return h.client.Transport(e.Serial, id)
	}
	return h.client.Device(e.Serial)
}

// Named is the name of the phone that is meant: name, or else $ANDROID_SERIAL. It is "" when any
// phone will do.
func (h *Host) Named(name string) string { return cmp.Or(name, h.getenv("ANDROID_SERIAL")) }

// Open opens a phone by its id, by one of its addresses, or as "transport:N" by the id that the
// server's list gives an address. name "" means $ANDROID_SERIAL, or else the only usable phone. If
// the choice is not clear, the error names the choices.
func (h *Host) Open(ctx context.Context, name string) (*Phone, error) {
	entries, err := h.entries(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening a phone: %w", err)
	}
	f, err := h.find(ctx, entries, h.Named(name))
	if err != nil {
		return nil, err
	}
	a := &f.addresses[0]
	if a.phone == nil {
		a.phone = h.phone(a.Entry, entries)
		a.err = a.phone.readInfo(ctx)
	}
	if a.err != nil {
		return nil, fmt.Errorf("opening %s: %w", f.id, a.err)
	}
	h.settle(ctx, a.phone, f)
	return a.phone, nil
}

// find chooses the phone. It asks no other phone than the one whose address the name is, if that
// says who it is.
func (h *Host) find(ctx context.Context, entries []adb.Entry, name string) (*found, error) {
	named := func(e adb.Entry) bool { return e.Serial == name }
	alone := len(entries) == 1
	if alone || slices.ContainsFunc(entries, named) {
		all := h.survey(ctx, entries, func(e adb.Entry) bool { return alone || named(e) },
			h.waits.list)
		f, err := choose(h.gather(ctx, all), name)
		if alone || err == nil && f.addresses[0].identity.serial != "" {
			return f, err
		}
	}
	phones, err := h.all(ctx, entries)
	if err != nil {
		return nil, fmt.Errorf("opening a phone: %w", err)
	}
	return choose(phones, name)
}

// settle gives an opened phone the state that is kept for it.
func (h *Host) settle(ctx context.Context, p *Phone, f *found) {
	p.info = f.info()
	p.shell.id = f.id
	p.display.who = &sameness{is: p.identity}
	// how a picture comes soonest depends on the way to the phone as well
	way := f.id + " over the network"
	if f.addresses[0].cable() {
		way = f.id
	}
	m := h.meter(ctx, way)
	p.capturer.meter = m
	p.capturer.found = func(ctx context.Context) { h.remember(ctx, way, m) }
	p.shell.elsewhere = func(ctx context.Context) *adb.Device { return h.elsewhere(ctx, f.id) }
}

// measured is a meter as it is remembered.
type measured struct {
	Took [2]time.Duration `json:"took"` // nanoseconds, of each form
	At   time.Time        `json:"at"`
}

// meter is the meter of a way to a phone: the one in use, or what was remembered on this day.
func (h *Host) meter(ctx context.Context, way string) *meter {
	h.mu.Lock()
	m := h.meters[way]
	h.mu.Unlock()
	if m == nil {
		m = h.remembered(ctx, way)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.meters[way] = cmp.Or(h.meters[way], m) // another call may be faster
	return h.meters[way]
}

func (h *Host) remembered(ctx context.Context, way string) *meter {
	var past measured
	kept, err := h.memory.Captures(ctx, way)
	if err == nil && kept != nil {
		err = json.Unmarshal(kept, &past)
	}
	if err != nil {
		h.log.WarnContext(ctx, "reading what captures take", "phone", way, "err", err)
	}
	if err != nil || time.Since(past.At) >= lasts {
		return &meter{}
	}
	return &meter{took: past.Took}
}

func (h *Host) remember(ctx context.Context, way string, m *meter) {
	m.mu.Lock()
	now := measured{m.took, time.Now()}
	m.mu.Unlock()
	kept, err := json.Marshal(now)
	if err == nil {
		err = h.memory.SetCaptures(ctx, way, kept)
	}
	if err != nil {
		h.log.WarnContext(ctx, "remembering what captures take", "phone", way, "err", err)
	}
}

// elsewhere is where the phone is now, or nil if it is nowhere.
func (h *Host) elsewhere(ctx context.Context, id string) *adb.Device {
	entries, err := h.entries(ctx)
	if err != nil {
		return nil
	}
	phones, err := h.all(ctx, entries)
	if err != nil {
		return nil
	}
	for _, f := range phones {
		if a := f.addresses[0]; f.id == id && a.usable() {
			h.log.InfoContext(ctx, "the phone is reached elsewhere", "phone", id, "at", a.Serial)
			return h.device(a.Entry, entries)
		}
	}
	return nil
}

var infoCommands = []string{
	"getprop ro.product.model", "getprop ro.build.version.release", "getprop ro.build.version.sdk",
	"wm size", panelsCommand,
}

// readInfo reads what the phone says of itself, in one service.
func (p *Phone) readInfo(ctx context.Context) error {
	s, err := p.shell.read(ctx, slices.Concat(infoCommands, identityCommands)...)
	if err != nil {
		return err
	}
	p.identity = parseIdentity(s[len(infoCommands):])
	if model := strings.TrimSpace(s[0]); model != "" {
		p.info.Model = model
	}
	p.info.Android = strings.TrimSpace(s[1])
	p.info.SDK, _ = strconv.Atoi(strings.TrimSpace(s[2]))
	physical, override := parseWMSize(s[3])
	p.display.opened = geometry{natural: firstSize(override, physical), panel: physical}
	p.info.Size = p.display.opened.natural
	p.capturer.panels = parsePanels(s[4])
	if p.info.Android == "" && !p.info.Size.Valid() {
		return errors.New("the phone reports neither its Android version nor its size: it is " +
			"not Android, or still starting up")
	}
	return nil
}

// Package is the package that an app's name means on the phones that can be used now, as a launch
// finds it. A package's own name and that of a well-known app are left as they are, and so is any
// where there is no such phone.
func (h *Host) Package(ctx context.Context, app string) (string, error) {
	if strings.Contains(app, ".") || len(words.AppPackages(app)) > 0 {
		return app, nil
	}
	list, _ := h.List(ctx) // without phones the name stays
	var wrong error
	for _, info := range list {
		if p, err := h.Open(ctx, info.Serial); err == nil { // one that can be used
			pkg, err := p.launcher.find(ctx, app)
			if err == nil {
				return pkg, nil
			}
			wrong = err
		}
	}
	return app, wrong
}
