package doctor

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/text"
)

// serverShare is of the time that the ADB server has to say its version, also if it has to be
// started.
const serverShare = 0.6

// check looks at the server, and at the phones if it answers. It returns the phones' names.
func (a *ADB) check(ctx context.Context, l *ledger, clock *watch) (seen []string) {
	within, cancel := part(ctx, serverShare)
	defer cancel()
	program := make(chan string, 1)
	go func() { program <- versionOf(ctx, cmp.Or(a.Binary, "adb")) }()
	said, err := a.Client.Host(within, "host:version")
	version, bad := strconv.ParseUint(said, 16, 16)
	if err == nil && bad != nil {
		err = adb.ErrProtocol
	}
	if err != nil {
		a.unanswered(err, l)
		return nil
	}
	var phones ledger
	seen = a.phones(ctx, &phones, clock) // a program that hangs delays nothing
	running := "1.0." + strconv.FormatUint(version, 10)
	id, own := "adb.ready", <-program
	path, _ := exec.LookPath("adb")
	switch path = cmp.Or(a.Binary, path); {
	case own == "" && path != "":
		id, own = "adb.program", path
	case own != "" && own != running:
		id = "adb.version"
	}
	l.add(id, "adb", "address", a.Client.Address(), "server", running,
		"program", text.Line(cmp.Or(own, "-")))
	*l = append(*l, phones...)
	return seen
}

// unanswered says why the server does not answer.
func (a *ADB) unanswered(err error, l *ledger) {
	id, at, holder := "adb.failed", a.Client.Address(), ""
	_, unfound := errors.AsType[*exec.Error](err)
	_, unbegun := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		id = "adb.missing"
	case unfound, unbegun:
		id = "adb.unfit"
	case errors.Is(err, adb.ErrStart):
	case errors.Is(err, adb.ErrNoServer):
		id = "adb.away"
	case listens(at):
		id, holder = "adb.port", holderOf(at)
		if errors.Is(err, context.DeadlineExceeded) { // it may speak the protocol
			id = "adb.hung"
		}
	}
	l.add(id, "adb", "address", at, "why", text.Line(err.Error()),
		"holder", cmp.Or(holder, "?"))
}

var bridge = regexp.MustCompile(`Android Debug Bridge version (\S+)`)

// versionOf returns the version of the adb program, or "" if it is missing, or says none in time.
func versionOf(ctx context.Context, binary string) string {
	ctx, cancel := part(ctx, answerShare)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	found := bridge.FindSubmatch(out)
	if err != nil || found == nil {
		return ""
	}
	return string(found[1])
}

// ADB is the ADB server, with the phones behind it.
type ADB struct {
	Client *adb.Client
	Phones *device.Host
	Binary string // adb's, "" means the one on PATH
	Serial string // the configured phone, or ""
}
