package adbtest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/taploop/taploop/internal/hint"
)

// Options say what to start. The zero value is one phone without stand-ins.
type Options struct {
	Phones []Daemon // nil means one Daemon{}
}

// Rig is a running adb server with phones. Its methods fail the test if they cannot do what they
// say. Only the test's goroutine may call them.
type Rig struct {
	Server  string   // host:port of the adb server
	Serials []string // one for each phone, in the order of Options.Phones

	t       testing.TB
	tools   tools
	server  *server
	daemons map[string]*daemon
}

// Start runs an adb server and phones until the test ends. All phones are usable (or in their
// Banner's state) when it returns. Where there is no rig the test fails with the reason and a hint,
// or is left out under TAPLOOP_RIG=off.
func Start(t testing.TB, opts *Options) *Rig {
	t.Helper()
	o := *cmp.Or(opts, &Options{})
	if len(o.Phones) == 0 {
		o.Phones = []Daemon{{}}
	}
	rig := &Rig{t: t, daemons: map[string]*daemon{}, tools: need(t)}
	record(t, started, rig.describe())
	dir := t.TempDir() // before the clean-up below, which reads the logs in it
	t.Cleanup(rig.close)

	srv, err := startServer(rig.tools.paths["adb"], nextPort(), dir)
	rig.must("starting the adb server", err)
	rig.server = srv
	rig.Server = srv.addr
	for _, p := range o.Phones {
		d := newDaemon(rig.tools.paths["adbd"], nextPort(), p)
		rig.daemons[d.serial] = d
		rig.Serials = append(rig.Serials, d.serial)
		rig.boot(d)
	}
	return rig
}

// need returns the programs, or ends the test.
func need(t testing.TB) tools {
	t.Helper()
	wanted(t)
	err := outside
	var found tools
	if err == nil {
		found, err = usable()
	}
	if err != nil {
		record(t, failed, fmt.Sprintf("%v (%s)", err, hint.Of(err)))
		t.Fatalf("no real adb server and adbd to test with: %v\n  try: %s", err, hint.Of(err))
	}
	return found
}

// wanted leaves the test out when the rig is switched off.
func wanted(t testing.TB) {
	t.Helper()
	// run has read it already, this shows go test that the result depends on it
	_ = os.Getenv(envSwitch)
	if outside == errOff {
		LeaveOut(t, errOff.Error())
	}
}

func (r *Rig) describe() string {
	return fmt.Sprintf("adb and adbd %s, mksh, toybox from %s", r.tools.version,
		filepath.Dir(r.tools.paths["adb"]))
}

// ports are the rig's own: the network namespace holds nothing else, and they are far from the
// ports that an adb server looks for emulators at and from the ephemeral ones.
var ports atomic.Int32

func nextPort() int { return 6000 + int(ports.Add(1)) }

// Kill ends a phone's daemon and all that runs under it, as a cable that is pulled. It returns when
// the server has noticed.
func (r *Rig) Kill(serial string) {
	r.t.Helper()
	r.daemon(serial).kill()
	r.WaitState(serial, "offline")
}

// Hang stops a phone's daemon in its tracks: it stays connected and answers nothing until Resume.
func (r *Rig) Hang(serial string) {
	r.t.Helper()
	r.must("hanging "+serial, r.daemon(serial).signal(pause))
}

// Resume ends a Hang.
func (r *Rig) Resume(serial string) {
	r.t.Helper()
	r.must("resuming "+serial, r.daemon(serial).signal(resume))
}

// Restart starts a phone again under the same serial, after Kill or while it runs, and waits until
// it is usable.
func (r *Rig) Restart(serial string) {
	r.t.Helper()
	d := r.daemon(serial)
	d.kill()
	_, err := r.server.client.Host(r.ctx(), "host:disconnect:"+serial)
	r.must("disconnecting "+serial, err)
	r.boot(d)
}

// WaitState waits until the server lists the phone in the given state ("device", "offline", ...).
// "" waits until it is not listed.
func (r *Rig) WaitState(serial, state string) {
	r.t.Helper()
	r.must(fmt.Sprintf("waiting for %s to be %q", serial, state), r.server.waitState(r.ctx(),
		serial, state))
}

// ADB runs the real adb binary against the rig's server and returns what it printed and its exit
// code.
func (r *Rig) ADB(args ...string) (stdout, stderr string, code int) {
	r.t.Helper()
	stdout, stderr, code, err := r.server.run(r.ctx(), args)
	r.must(fmt.Sprintf("running adb %q", args), err)
	return stdout, stderr, code
}

// Command is the real adb binary, to be run against the rig's server with these arguments.
func (r *Rig) Command(args ...string) *exec.Cmd {
	return r.server.call(r.t.Context(), args...)
}

func (r *Rig) boot(d *daemon) {
	r.t.Helper()
	r.must("starting adbd", d.start())
	r.must("connecting "+d.serial, r.server.connect(r.ctx(), d))
	r.WaitState(d.serial, d.state())
}

func (r *Rig) daemon(serial string) *daemon {
	r.t.Helper()
	d := r.daemons[serial]
	if d == nil {
		r.t.Fatalf("the rig has no phone %q (it has %q)", serial, r.Serials)
	}
	return d
}

// ctx is for one wait, and ends with the test.
func (r *Rig) ctx() context.Context {
	ctx, cancel := context.WithTimeoutCause(r.t.Context(), patience, fmt.Errorf("not within %s",
		patience))
	r.t.Cleanup(cancel)
	return ctx
}

func (r *Rig) must(doing string, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("%s: %v", doing, err)
	}
}

// close ends the phones and the server, shows their logs when the test failed, and records how it
// went.
func (r *Rig) close() {
	for _, serial := range r.Serials {
		r.daemons[serial].kill()
	}
	if r.server != nil {
		r.server.stop()
	}
	outcome := passed
	if r.t.Failed() {
		outcome = failed
		r.showLogs()
	}
	record(r.t, outcome, r.describe())
}

func (r *Rig) showLogs() {
	if r.server != nil {
		r.t.Logf("log of the adb server:\n%s", r.server.log())
	}
	for _, serial := range r.Serials {
		r.t.Logf("log of adbd %s:\n%s", serial, r.daemons[serial].log.String())
	}
}
