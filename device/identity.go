package device

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/adb"
)

// identity is what a phone says of itself, the same at each of its addresses. Fields are empty if
// the phone does not say them.
type identity struct {
	serial string // of the factory; makers of cheap phones give many the same
	mark   string // of the installed system, kept over restarts; differs where serials are equal
	boot   string // of this start of its kernel, and of its container if it is one
}

var identityCommands = []string{
	"getprop ro.serialno", "settings get --user 0 secure android_id",
	"cat /proc/sys/kernel/random/boot_id", "readlink /proc/self/ns/pid",
}

var (
	ownSerial = regexp.MustCompile(`^[\w.+-]{3,64}$`)
	androidID = regexp.MustCompile(`^[0-9a-fA-F]{6,64}$`)
)

// parseIdentity reads the answers to identityCommands. Emulators of one version all have the same
// serial, which therefore is none.
func parseIdentity(answers []string) identity {
	var i identity
	serial, id := strings.TrimSpace(answers[0]), strings.TrimSpace(answers[1])
	if ownSerial.MatchString(serial) && serial != "unknown" &&
		!strings.HasPrefix(serial, "EMULATOR") {
		i.serial = serial
	}
	if androidID.MatchString(id) { // which is no one else's business, so it is kept as a hash
		sum := sha256.Sum256([]byte(strings.ToLower(id)))
		i.mark = hex.EncodeToString(sum[:8])
	}
	i.boot = strings.Join(strings.Fields(answers[2]+" "+answers[3]), " ")
	return i
}

// known reports whether phones can be told apart by it.
func (i identity) known() bool { return i.serial != "" || i.mark != "" }

// address is an entry of the server's list, with what the phone behind it says.
type address struct {
	adb.Entry
	identity identity
	phone    *Phone // with its details, nil if they were not read just now
	err      error  // why they could not be read
}

// network matches addresses of phones on a network: by port, or by their announcement.
var network = regexp.MustCompile(`:\d+$|\._adb(-tls-connect)?\._tcp\.?$`)

func (a address) cable() bool { return !network.MatchString(a.Serial) }

// better reports whether a is to be used before b.
func (a address) better(b address) bool {
	if a.usable() != b.usable() {
		return a.usable()
	}
	return a.cable() && !b.cable()
}

func (a address) usable() bool { return a.State == "device" }

// place tells addresses with the same serial apart, as far as the server does.
func (a address) place() string {
	for _, key := range []string{"usb", "transport_id"} {
		if at := a.Props[key]; at != "" && (key != "usb" || a.cable()) {
			return at
		}
	}
	return a.Serial
}

// found is one phone, with all its addresses.
type found struct {
	id        string
	addresses []address // the one to use first
}

// is reports whether the phone of the address is f: both say the same of themselves. One phone has
// one cable, so two cables are two phones whatever they say.
func (f *found) is(a address) bool {
	return slices.ContainsFunc(f.addresses, func(b address) bool {
		return a.identity.known() && a.identity == b.identity
	}) && !(a.cable() && slices.ContainsFunc(f.addresses, address.cable))
}

// serial is the one that the phone should be known by: its own, or else that of an address.
func (f *found) serial() string {
	if own := f.addresses[0].identity.serial; own != "" {
		return own
	}
	return f.addresses[0].Serial
}

// gather makes phones of addresses, in the order of the list, and names them.
func (h *Host) gather(ctx context.Context, all []address) []found {
	var phones []found
	var silent []address
	join := func(a address, whose func(*found) bool) bool {
		at := -1
		for i := range phones {
			if whose(&phones[i]) {
				if at >= 0 {
					return false // of which one is not known
				}
				at = i
			}
		}
		if at >= 0 {
			phones[at].addresses = append(phones[at].addresses, a)
		}
		return at >= 0
	}
	for _, a := range all {
		if !a.identity.known() {
			silent = append(silent, a)
		} else if !join(a, func(f *found) bool { return f.is(a) }) {
			phones = append(phones, found{addresses: []address{a}})
		}
	}
	spoke := len(phones)
	for _, a := range silent {
		if !join(a, func(f *found) bool {
			return f.addresses[0].identity.known() && (a.Serial == f.serial() ||
				strings.HasPrefix(a.Serial, "adb-"+f.serial()+"-"))
		}) {
			phones = append(phones, found{addresses: []address{a}})
		}
	}
	if spoke > 0 && spoke < len(phones) {
		inOrder(phones, all)
	}
	h.name(ctx, phones)
	return phones
}

// inOrder sorts phones by the place of their first address in the list.
func inOrder(phones []found, all []address) {
	place := func(f found) int {
		return slices.IndexFunc(all, func(a address) bool {
			return a.Serial == f.addresses[0].Serial && a.place() == f.addresses[0].place()
		})
	}
	slices.SortStableFunc(phones, func(a, b found) int { return place(a) - place(b) })
}

// name gives each phone its id. It is the same in every process with the same memory, whatever the
// phone's addresses are and whichever others are connected. Only phones that nothing tells apart
// are named by where they are.
func (h *Host) name(ctx context.Context, phones []found) {
	times := map[string]int{}
	for i := range phones {
		f := &phones[i]
		slices.SortStableFunc(f.addresses, func(a, b address) int {
			switch {
			case a.better(b):
				return -1
			case b.better(a):
				return 1
			}
			return 0
		})
		f.id = f.serial()
		who := f.addresses[0].identity
		shared := who.serial == "" && h.memory.Shared()
		// The emulators of several machines all have the address emulator-5554.
		if shared && who.mark == "" && f.addresses[0].cable() {
			f.id += "@" + h.machine // until it says more
		}
		if who.serial != "" || shared && who.mark != "" {
			name, err := h.memory.NamePhone(ctx, f.id, who.mark)
			if err != nil { // no phone can be leased then either
				h.log.WarnContext(ctx, "naming a phone", "serial", f.id, "err", err)
			}
			f.id = cmp.Or(name, f.id)
		}
		times[f.id]++
	}
	for i := range phones {
		if f := &phones[i]; times[f.id] > 1 {
			f.id += "@" + f.addresses[0].place()
		}
	}
}

// phoneMemory is what outlives a process about phones. Each method may be called by several at
// once.
type phoneMemory interface {
	formerKeyboards
	pastCaptures
	// NamePhone returns the name of the phone with that factory serial and that mark: the serial,
	// unless a phone with another mark has that name already. A mark that is not known is "".
	NamePhone(ctx context.Context, serial, mark string) (string, error)
	// Shared reports whether other machines name their phones here too. Then a phone without a
	// factory serial is named as if its address was one.
	Shared() bool
}

// forgetful remembers no keyboards and no captures, and names only as long as it lives.
type forgetful struct {
	mu    sync.Mutex
	marks map[string]string // by name
}

func (*forgetful) SetFormerKeyboard(context.Context, string, string) error { return nil }

func (*forgetful) FormerKeyboard(context.Context, string) (string, error) { return "", nil }

func (*forgetful) SetCaptures(context.Context, string, json.RawMessage) error { return nil }

func (*forgetful) Captures(context.Context, string) (json.RawMessage, error) { return nil, nil }

func (*forgetful) Shared() bool { return false }

func (f *forgetful) NamePhone(_ context.Context, serial, mark string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first, named := f.marks[serial]
	switch {
	case !named, first == "":
		f.marks[serial] = mark
	case mark != "" && mark != first:
		return serial + "." + mark[:min(len(mark), 6)], nil
	}
	return serial, nil
}
