package doctor

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// listens reports whether anybody takes connections at a TCP address.
func listens(addr string) bool {
	n, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	_ = n.Close()
	return true
}

// holderOf names the process that listens at a TCP address of this machine, as "name (process N)".
// It returns "" where the system does not say it: on other systems than Linux, and of other users'
// processes.
func holderOf(addr string) string {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return ""
	}
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		rows, _ := os.ReadFile(table)
		for line := range strings.Lines(string(rows)) {
			if inode := listening(line, port); inode != "" {
				sockets["socket:["+inode+"]"] = true
			}
		}
	}
	open, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, fd := range open {
		if target, err := os.Readlink(fd); err != nil || !sockets[target] {
			continue
		}
		process := strings.Split(fd, "/")[2]
		name, _ := os.ReadFile("/proc/" + process + "/comm")
		return fmt.Sprintf("%s (process %s)", text.Line(strings.TrimSpace(string(name))), process)
	}
	return ""
}

// listening returns the inode of a row of /proc/net/tcp that listens at the port, or "".
func listening(row, port string) string {
	const local, state, inode, listens = 1, 3, 9, "0A"
	fields := strings.Fields(row)
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || len(fields) <= inode || fields[state] != listens ||
		!strings.HasSuffix(fields[local], fmt.Sprintf(":%04X", n)) {
		return ""
	}
	return fields[inode]
}
