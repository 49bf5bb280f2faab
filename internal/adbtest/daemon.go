package adbtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Daemon is one adbd.
type Daemon struct {
	Standins string   // folder whose commands come first on the phone's PATH, "" for none
	Env      []string // "NAME=value" for adbd and every command under it
	// the state that it reports, such as "recovery" or "sideload". "" means "device"
	Banner string
	// Emulator has the server know the phone as emulator-5554, as it knows an emulator on this
	// machine. Other servers of the process would find it, too: no other rig may be there.
	Emulator bool
}

// emulatorPort is where an emulator's adbd listens, behind its console's port.
const emulatorPort = 5555

// daemon is one phone: an adbd that can be started more than once.
type daemon struct {
	adbd   string
	port   int
	phone  Daemon
	serial string
	log    bytes.Buffer // of all its starts, read after kill

	cmd   *exec.Cmd     // nil when it does not run
	ended chan struct{} // closed when cmd has ended
}

func newDaemon(adbd string, port int, p Daemon) *daemon {
	serial := loopback(port)
	if p.Emulator {
		port, serial = emulatorPort, fmt.Sprintf("emulator-%d", emulatorPort-1)
	}
	return &daemon{adbd: adbd, port: port, phone: p, serial: serial}
}

func loopback(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// state is the state in which the server lists the phone.
func (d *daemon) state() string {
	if d.phone.Banner == "" {
		return "device"
	}
	return d.phone.Banner
}

// ownProcesses makes ps and $$ agree in adbd's process namespace, where the machine allows it.
const ownProcesses = `/system/bin/toybox mount -t proc proc /proc 2>/dev/null; exec "$@"`

// start runs adbd as the first process of a process namespace: whatever it starts ends with it.
func (d *daemon) start() error {
	d.cmd = exec.Command("/system/bin/sh", "-c", ownProcesses, "adbd", d.adbd)
	if d.phone.Banner != "" {
		d.cmd.Args = append(d.cmd.Args, "--device_banner="+d.phone.Banner)
	}
	d.cmd.SysProcAttr = separate()
	d.cmd.Dir = "/"
	d.cmd.Env = d.environ()
	d.cmd.Stdout, d.cmd.Stderr = &d.log, &d.log
	if err := d.cmd.Start(); err != nil {
		d.cmd = nil
		return err
	}
	d.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) { // kill waits for it
		defer close(ended)
		_ = cmd.Wait()
	}(d.cmd, d.ended)
	return nil
}

// environ is the phone's whole environment: nothing of the test's own reaches a command under adbd.
func (d *daemon) environ() []string {
	path := []string{"/system/bin", os.Getenv("PATH")}
	if d.phone.Standins != "" {
		path = append([]string{d.phone.Standins}, path...)
	}
	env := []string{
		"PATH=" + strings.Join(path, ":"), fmt.Sprintf("ADBD_PORT=%d", d.port), "HOME=/",
		"TMPDIR=/data/local/tmp",
		"ANDROID_ROOT=/system", "ANDROID_DATA=/data", "EXTERNAL_STORAGE=/sdcard",
		// a stand-in that is built with the race detector would end a second late
		"GORACE=atexit_sleep_ms=0",
	}
	return append(append(env, libraries()...), d.phone.Env...)
}

// kill ends adbd and every process under it, and returns when they are gone. It does nothing when
// adbd does not run.
func (d *daemon) kill() {
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Kill() // it may have ended by itself
	<-d.ended
	d.cmd = nil
}

// signal does pause or resume.
func (d *daemon) signal(do func(*os.Process) error) error {
	if d.cmd == nil {
		return errors.New("adbd does not run")
	}
	return do(d.cmd.Process)
}
