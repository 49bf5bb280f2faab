package adbtest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// CPU returns the processor time that the adb server and all phones together have used so far,
// including the phones' commands that have ended.
func (r *Rig) CPU() (server, phones time.Duration) {
	r.t.Helper()
	cpu := func(pid int) time.Duration {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		r.must("reading a process's time", err)
		// after the name in brackets: utime, stime, cutime, cstime are the fields 14 to 17
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		ticks := 0
		for _, f := range fields[11:15] {
			n, err := strconv.Atoi(f)
			r.must("reading a process's time", err)
			ticks += n
		}
		const hertz = 100 // of what /proc counts in, on every Linux that Go knows
		return time.Duration(ticks) * time.Second / hertz
	}
	for _, d := range r.daemons {
		phones += cpu(d.cmd.Process.Pid)
	}
	return cpu(r.server.cmd.Process.Pid), phones
}
