package devicetest

import (
	"context"
	"strings"
	"testing"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Surface is what the contract is about.
type Surface interface {
	actions.Surface
	Look(ctx context.Context) (screen.Observation, error)
	Frame(ctx context.Context) (*screen.Frame, error)
	Elements(ctx context.Context) ([]screen.Element, error)
	Wake(ctx context.Context) (screen.State, error)
	Relaunch(ctx context.Context, app string, used []string) error
}

// App is an installed app.
type App struct{ Name, Package string }

// Target is a place where a touch has an effect that can be seen from outside.
type Target struct {
	At, To   screen.Point // To for gestures that go somewhere
	Happened func() bool  // reports whether the effect is there
}

// Subject is a phone, awake and unlocked, with functions to see and change it from outside. The
// suite leaves out the parts that need a nil function, and names them.
type Subject struct {
	Phone   Surface
	Unicode bool  // it types any text, otherwise ASCII only
	Apps    []App // two installed apps, neither in front
	// names that fit no installed app, among them names of well-known apps
	Missing []string

	Front func() string // the package in front
	// brings an empty text field of several lines to the front, with the focus in it
	Field func(t *testing.T)
	Text  func() string // what stands in that field
	Home  func() bool   // whether the home screen is in front

	// by the method: Tap, DoubleTap, LongPress, Swipe, Drag
	Touches map[string]func(t *testing.T) Target

	Rotate     func(t *testing.T, r screen.Rotation)
	Off        func(t *testing.T)         // switches the display off
	Lock       func(t *testing.T)         // display on, lock screen without a PIN in front
	LockedPIN  func(t *testing.T) Surface // another phone, at a lock screen with a PIN
	Secure     func(t *testing.T)         // brings a window to the front that forbids capture
	Hang       func(t *testing.T)         // from now on the phone answers nothing
	Resume     func(t *testing.T)         // ends Hang
	Disconnect func(t *testing.T)         // the phone is gone
	Reconnect  func(t *testing.T)         // it is back, when the function returns

	Canary func() error // an error when a typed text ran as a command
}

// Nasty is forty texts that go wrong somewhere between a model and a field: shells, `input text`,
// keyboards, encodings. Every one that could run a command would make the file that [Canary] names.
var Nasty = []string{
	"",
	" ",
	"  two  spaces  ",
	"plain",
	"it's",
	`"double" and 'single'`,
	"'",
	`'\''`,
	"$(touch " + Canary + ")",
	"`touch " + Canary + "`",
	"; touch " + Canary + " ;",
	"' ; touch " + Canary + " #",
	"\" ; touch " + Canary + " #",
	"| touch " + Canary,
	"&& touch " + Canary + " &",
	"> " + Canary,
	"\ntouch " + Canary + "\n",
	"a\r\nb",
	"$HOME ${PATH} $$ $? $1 $@",
	"~ ~root",
	"* ? [a-z] {a,b}",
	"# no comment",
	"!! !$ ^a^b",
	"-n -e --help -",
	"%s",
	"%%s %",
	"100%safe",
	"a%sb %%ss %d %n %x",
	`back\slash \n \t \\ \x41`,
	"a\tb",
	"line one\nline two\n\nline four",
	"ünïcödé",
	"你好,世界",
	"👩‍👩‍👧‍👦 🇩🇪",
	"שלום עולם \u202eolleh",
	"e\u0301 zero\u200bwidth",
	"nul\x00byte",
	"esc\x1b[31m bell\x07",
	"bad\xff\xfeutf-8",
	strings.Repeat("long 'text' with $(all) %s kinds; ", 20),
}

// Canary is a file that no typed text may bring into being.
const Canary = "/data/local/tmp/taploop-canary"
