package pgtest

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// quit ends the server without a farewell.
const quit = syscall.SIGQUIT

// account is who runs the server if this process is root's, whom PostgreSQL refuses.
func account() (uid, gid int, err error) {
	var errs error
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err == nil {
			uid, err = strconv.Atoi(u.Uid)
		}
		if err == nil {
			gid, err = strconv.Atoi(u.Gid)
		}
		if err == nil {
			return uid, gid, nil
		}
		errs = errors.Join(errs, err)
	}
	return 0, 0, errs
}

// give makes the folder that account's.
func give(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := account()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

func attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: quit}
	if os.Getuid() == 0 {
		if uid, gid, err := account(); err == nil {
			a.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return a
}
