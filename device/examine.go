package device

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/screen"
)

// Examination is what a connected phone is found to allow, and how quick it is.
type Examination struct {
	PhoneInfo
	// why the phone cannot be used, nil if it can. The fields below hold nothing then
	Unusable error
	Starting bool // it has not started up yet, and the fields below hold nothing

	Display    screen.State
	SecureLock bool  // the lock screen wants a PIN, a pattern or a password
	Touches    error // why input is refused, nil if it is taken
	Keyboard   KeyboardCheck
	Raw        Timing // a capture of raw pixels, zero if the display cannot be captured now
	PNG        Timing // the same as PNG
	Elements   Timing // listing the elements of the screen

	Free     int64         // bytes that are free for data, -1 if the phone does not say it
	Ahead    time.Duration // of the phone's clock before this machine's
	Clocked  bool          // Ahead is known
	User     string        // the name of the user in front, "" if that is the owner
	Profiles []string      // names of profiles beside the user in front, as for work
	Displays int           // that are used at the same time
	Panels   int           // of the phone itself: two of a phone that folds
	Posture  string        // how it is folded, "" if the phone does not say it
}

// KeyboardCheck is what a phone says of its input methods.
type KeyboardCheck struct {
	Current string
	All     []string // that are installed
	ADB     bool     // ADBKeyBoard is one of them
	Switch  error    // why input methods may not be switched, nil if they may
}

// Timing is how long something took, also until it failed.
type Timing struct {
	Took time.Duration
	Err  error
}

// Limits of an examination, for each phone: all phones together take as long as the slowest.
const (
	introduced = 3 * time.Second // for a phone's details
	examined   = 5 * time.Second // for each of the questions that follow
)

// Examine asks all connected phones, at the same time, what they allow and how quick they are. It
// changes nothing on them: the key that it presses is the unknown one, and the input method that it
// sets is the current one.
func (h *Host) Examine(ctx context.Context) ([]Examination, error) {
	entries, err := h.entries(ctx)
	if err != nil {
		return nil, err
	}
	everyone := func(adb.Entry) bool { return true }
	phones := h.gather(ctx, h.survey(ctx, entries, everyone, min(introduced, h.waits.list)))
	list := make([]Examination, len(phones))
	var wg sync.WaitGroup
	for i, f := range phones {
		wg.Go(func() { list[i] = f.examine(ctx) })
	}
	wg.Wait()
	return list, ctx.Err()
}

// examine asks a phone that takes commands. What it does not answer is left out.
func (f *found) examine(ctx context.Context) Examination {
	e := Examination{PhoneInfo: f.info(), Free: -1}
	p := f.addresses[0].phone
	if p == nil || !e.Usable() {
		e.Unusable = cmp.Or(f.addresses[0].err, adb.StateError(f.id, e.State))
		return e
	}
	p.shell.id, p.shell.timeout = f.id, examined
	p.capturer.meter = &meter{}
	if e.Unusable = e.read(ctx, p); e.Unusable != nil || e.Starting {
		return e
	}
	r, err := p.display.readState(ctx)
	if err != nil {
		e.Unusable = err
		return e
	}
	e.Display, e.SecureLock = r.State, r.keyguard.secure
	var wg sync.WaitGroup
	wg.Go(func() { e.Touches = p.shell.must(ctx, keyevent(codeUnknown)) })
	wg.Go(func() { e.Keyboard.Switch = p.keyboard.switches(ctx, e.Keyboard.Current) })
	if e.Display.On && !e.Display.Secure {
		wg.Go(func() {
			e.Raw = p.capturer.timed(ctx, formRaw)
			e.PNG = p.capturer.timed(ctx, formPNG)
		})
		wg.Go(func() {
			began := time.Now()
			_, e.Elements.Err = p.dumper.dump(ctx)
			e.Elements.Took = time.Since(began)
		})
	}
	wg.Wait()
	return e
}

// codeUnknown is a key that no window reacts to.
const codeUnknown = 0

var examineCommands = []string{"getprop sys.boot_completed", "getprop dev.bootcomplete",
	"settings get secure default_input_method", "ime list -a -s", "df -k /data", "pm list users",
	"am get-current-user", "cmd device_state state", panelsCommand, "date +%s",
	"dumpsys window displays"}

// read reads what the phone says by itself, in one service.
func (e *Examination) read(ctx context.Context, p *Phone) error {
	began := time.Now()
	said, err := p.shell.read(ctx, examineCommands...)
	if err != nil {
		return err
	}
	for i := range said {
		said[i] = strings.TrimSpace(said[i])
	}
	e.Starting = said[0] != "1" && said[1] != "1"
	if !strings.EqualFold(said[2], "null") {
		e.Keyboard.Current = said[2]
	}
	e.Keyboard.All = strings.Fields(said[3])
	e.Keyboard.ADB = slices.Contains(e.Keyboard.All, adbIME)
	e.Free = parseFree(said[4])
	e.User, e.Profiles = parseUsers(said[5], said[6])
	e.Posture = first(posture, said[7])
	e.Panels = max(len(parsePanels(said[8])), 1)
	e.Displays = len(displayStart.blocks(said[10]))
	if e.Posture == "" { // it does not fold
		e.Displays = max(e.Displays, e.Panels)
	}
	if seconds, err := strconv.ParseInt(said[9], 10, 64); err == nil {
		e.Clocked = true // the question took a while, and the phone counts whole seconds
		e.Ahead = time.Unix(seconds, 0).Sub(began.Add(time.Since(began) / 2))
	}
	return nil
}

// posture is what Android 12 and later report of a phone that folds.
var posture = regexp.MustCompile(`(?m)^Committed state: .*name='([^']*)'`)

// parseFree reads what df says is available, in bytes. It returns -1 if that is not said.
func parseFree(df string) int64 {
	lines := strings.Split(df, "\n")
	if len(lines) < 2 {
		return -1
	}
	at := slices.IndexFunc(strings.Fields(lines[0]), func(column string) bool {
		return strings.HasPrefix(column, "Avail")
	})
	// a long name of a device stands on a line by itself
	fields := strings.Fields(strings.Join(lines[1:], " "))
	if at < 0 || at >= len(fields) {
		return -1
	}
	blocks, err := strconv.ParseInt(fields[at], 10, 64)
	if err != nil {
		return -1
	}
	return blocks << 10
}

// userInfo is a line of `pm list users`. The flags are hexadecimal.
var userInfo = regexp.MustCompile(`UserInfo\{(\d+):(.*):([0-9a-fA-F]+)\}`)

// Flags of a user, as android.content.pm.UserInfo has them.
const flagManagedProfile, flagProfile, flagMain = 0x20, 0x1000, 0x4000

// parseUsers returns the name of the user in front if that is not the owner, and those of the
// profiles that belong to a user, which no one switches to.
func parseUsers(users, current string) (other string, profiles []string) {
	for _, u := range userInfo.FindAllStringSubmatch(users, -1) {
		flags, err := strconv.ParseUint(u[3], 16, 32)
		switch name := cmp.Or(u[2], u[1]); {
		case err != nil:
		case u[1] == current && current != "0" && flags&flagMain == 0:
			other = name
		case u[1] != current && flags&(flagManagedProfile|flagProfile) != 0:
			profiles = append(profiles, name)
		}
	}
	return other, profiles
}

// switches sets the current input method again.
func (k *adbKeyboard) switches(ctx context.Context, current string) error {
	if current == "" {
		return nil
	}
	r, err := k.run(ctx, "ime set "+adb.Quote(current), 0)
	if err == nil {
		err = refusal(r)
	}
	return err
}

// timed captures once in that form.
func (c *capturer) timed(ctx context.Context, f form) (t Timing) {
	began := time.Now()
	b, err := c.bytes(ctx, c.of(f.command()), nil, maxCapture, nil)
	t.Took = time.Since(began)
	if err == nil {
		_, err = screen.Measure(b)
	}
	t.Err = err
	return t
}
