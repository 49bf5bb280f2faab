package adbtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// readyFD is where the first process waits: closed means furnished, words are the reason why not.
const readyFD = 3

// furnish makes the new namespaces habitable: loopback up, a root folder with Android's places in
// it. It ends in this program starting again there, which the kernel else knows by its place on a
// mount that is gone (os.Executable). When something cannot be done it reports to the first process
// and exits before any test has run.
func furnish() {
	ready := os.NewFile(readyFD, "ready")
	unix.CloseOnExec(readyFD)
	os.Unsetenv(envStage)
	self, err := os.Executable()
	if err == nil {
		err = furnishAll()
	}
	if err == nil {
		os.Setenv(envInside, "/"+home)
		// What ends this process with its parent holds for one thread (prctl(2)), and of all
		// threads the one that starts the program again is left.
		runtime.LockOSThread()
		err = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	}
	if err == nil {
		err = unix.Exec(self, os.Args, os.Environ())
	}
	fmt.Fprint(ready, err)
	os.Exit(1)
}

func furnishAll() error {
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("bringing lo up: %w", err)
	}
	if err := refuseVsock(); err != nil {
		return fmt.Errorf("closing vsock: %w", err)
	}
	if err := newRoot(); err != nil {
		return fmt.Errorf("mounting the phone's folders: %w", err)
	}
	return nil
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}

// places are the folders of Android that a Linux machine lacks, and home, which is the rig's own.
var places = []string{"sdcard", "data/local/tmp", "system/bin", home}

const home = "data/rig"

// site is where the new root is mounted while it is made: a folder that every machine has, so that
// none need be made.
const site = "/sys"

// newRoot moves this process into a root folder in memory, which shows the machine's folders and
// the places.
func newRoot() error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	covered, err := os.Open(site)
	if err != nil {
		return err
	}
	defer covered.Close()
	// First of all: nothing that is mounted from here on may be seen by the rest of the machine.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("rig", site, "tmpfs", 0, "mode=0755"); err != nil {
		return fmt.Errorf("mounting a tmpfs: %w", err)
	}
	// Otherwise the mirror of the covered folder would be covered too.
	if err := unix.Mount("", site, "", unix.MS_UNBINDABLE, ""); err != nil {
		return err
	}
	m := mirror{covered: fmt.Sprintf("/proc/self/fd/%d", covered.Fd())}
	if err := m.folder("/", site, places); err != nil {
		return err
	}
	if err := userland(site); err != nil {
		return err
	}
	// Where the machine forbids a fresh /proc (some containers), the outer one stays: ps then shows
	// too much.
	_ = unix.Mount("proc", filepath.Join(site, "proc"), "proc",
		unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	return pivot(site, cwd)
}

// mirror makes folders of the machine appear in the new root.
type mirror struct{ covered string } // the way to what site covers

// folder makes every entry of the folder from appear in to, and adds the places, which are relative
// to both.
func (m mirror) folder(from, to string, places []string) error {
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if below := under(e.Name(), places); e.IsDir() && len(below) > 0 {
			if err := os.Mkdir(filepath.Join(to, e.Name()), 0o755); err != nil {
				return err
			}
			if err := m.folder(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()),
				below); err != nil {
				return err
			}
		} else if err := m.entry(e, from, to); err != nil {
			return err
		}
	}
	for _, p := range places {
		if err := os.MkdirAll(filepath.Join(to, p), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// under returns what of the places lies below the folder name, relative to it.
func under(name string, places []string) []string {
	var below []string
	for _, p := range places {
		if rest, ok := strings.CutPrefix(p, name+"/"); ok {
			below = append(below, rest)
		}
	}
	return below
}

func (m mirror) entry(e os.DirEntry, from, to string) error {
	source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
	switch {
	case e.Type()&os.ModeSymlink != 0:
		link, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return os.Symlink(link, target)
	case e.IsDir():
		if err := os.Mkdir(target, 0o755); err != nil {
			return err
		}
	default:
		if err := os.WriteFile(target, nil, 0o644); err != nil {
			return err
		}
	}
	if source == site {
		source = m.covered
	}
	if err := unix.Mount(source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mounting %s: %w", source, err)
	}
	return nil
}

// userland puts mksh in /bin/sh's place and toybox's commands into /system/bin. Start reports
// missing programs, so that tests without a rig still run.
func userland(root string) error {
	bin := filepath.Join(root, "system/bin")
	if mksh, err := find("mksh"); err == nil {
		sh, err := filepath.EvalSymlinks("/bin/sh")
		if err != nil {
			return err
		}
		for _, target := range []string{filepath.Join(root, sh), filepath.Join(bin, "sh")} {
			if err := bindFile(mksh, target); err != nil {
				return err
			}
		}
	}
	toybox, err := find("toybox")
	if err != nil {
		return nil
	}
	names, err := command(toybox).Output()
	if err != nil {
		return fmt.Errorf("asking toybox for its commands: %w", err)
	}
	if err := bindFile(toybox, filepath.Join(bin, "toybox")); err != nil {
		return err
	}
	for _, name := range strings.Fields(string(names)) {
		if err := os.Symlink("toybox", filepath.Join(bin, name)); err != nil &&
			!errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

func bindFile(source, target string) error {
	source, err := filepath.EvalSymlinks(source)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	f.Close()
	if err := unix.Mount(source, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mounting %s on %s: %w", source, target, err)
	}
	return nil
}

func pivot(root, cwd string) error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	// "." for both puts the old root on top of the new one, from where it can be let go without a
	// folder for it.
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("letting the old root go: %w", err)
	}
	return os.Chdir(cwd)
}
