package adbrig

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

func pause(p *os.Process) error  { return p.Signal(syscall.SIGSTOP) }
func resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

// killAll kills a child of ours and everything that came of it, by their ids, and returns when all are gone: what runs
// under it, and what no longer does but has the given variable in its environment. The child itself is reaped by its
// exec.Cmd, which closes ended; the others become ours when it dies, because this process is the first of its process
// namespace.
func killAll(pid int, variable string, ended <-chan struct{}) {
	all := processes(func(p process) bool { return p.id != pid && p.has(variable) })
	all = append(all, descendants(append(all, pid)...)...)
	_ = syscall.Kill(pid, syscall.SIGKILL) // each may have ended by itself
	for _, p := range all {
		_ = syscall.Kill(p, syscall.SIGKILL)
	}
	<-ended
	for _, p := range all { // parents come before their children, who are ours only then
		_, _ = syscall.Wait4(p, nil, 0, nil)
	}
}

// descendants lists the live processes under the given ones, parents first.
func descendants(pids ...int) []int {
	children := map[int][]int{}
	processes(func(p process) bool {
		children[p.parent] = append(children[p.parent], p.id)
		return true
	})
	var under []int
	for queue := pids; len(queue) > 0; queue = queue[1:] {
		under = append(under, children[queue[0]]...)
		queue = append(queue, children[queue[0]]...)
	}
	return under
}

// process is a live process as /proc shows it.
type process struct{ id, parent int }

// processes lists the live processes that are wanted. It is empty when /proc shows another process namespace than ours,
// because its numbers are other processes here.
func processes(wanted func(process) bool) []int {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := inspect(id); ok && wanted(p) {
			found = append(found, id)
		}
	}
	return found
}

// inspect reads /proc/PID/stat: its third field is the state, its fourth the parent, and its second, the name in
// brackets, may hold anything.
func inspect(id int) (p process, alive bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return process{}, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 || string(fields[0]) == "Z" {
		return process{}, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return process{id, parent}, err == nil
}

// has reports whether the process was started with the variable, "NAME=value", in its environment.
func (p process) has(variable string) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.id))
	if err != nil {
		return false // it has just ended
	}
	for v := range bytes.SplitSeq(environ, []byte{0}) {
		if string(v) == variable {
			return true
		}
	}
	return false
}
