package adbrig

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// killTree kills a child of ours and what runs under it, by their ids, and returns when all are gone. The child itself
// is reaped by its exec.Cmd, which closes ended; the others become ours when it dies, because this process is the first
// of its process namespace.
func killTree(pid int, ended <-chan struct{}) {
	tree := descendants(pid)
	_ = syscall.Kill(pid, syscall.SIGKILL) // each may have ended by itself
	for _, p := range tree {
		_ = syscall.Kill(p, syscall.SIGKILL)
	}
	<-ended
	for _, p := range tree { // parents come before their children, who are ours only then
		_, _ = syscall.Wait4(p, nil, 0, nil)
	}
}

func pause(p *os.Process) error  { return p.Signal(syscall.SIGSTOP) }
func resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

// descendants lists the processes under pid. It is empty when /proc shows another process namespace than ours, because
// its numbers are other processes here.
func descendants(pid int) []int {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return nil
	}
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if p, err := strconv.Atoi(e.Name()); err == nil {
			if parent := parentOf(p); parent > 0 {
				children[parent] = append(children[parent], p)
			}
		}
	}
	var tree []int
	for queue := children[pid]; len(queue) > 0; queue = queue[1:] {
		tree = append(tree, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return tree
}

// parentOf reads the fourth field of /proc/PID/stat; the second, the name in brackets, may hold anything.
func parentOf(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
