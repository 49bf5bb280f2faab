package adbtest

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// auditArch is the number under which seccomp knows the system calls of each GOARCH that the filter
// is written for.
var auditArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// refuseVsock keeps this process and its children from opening an AF_VSOCK socket. Such sockets
// belong to no network namespace, and adbd listens on one in addition to its TCP port, which the
// host of a virtual machine could reach.
func refuseVsock() error {
	arch, ok := auditArch[runtime.GOARCH]
	if !ok {
		return nil
	}
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K
	)
	filter := []unix.SockFilter{
		{Code: load, K: 4}, // seccomp_data.arch
		{Code: equal, K: arch, Jf: 5},
		{Code: load, K: 0}, // seccomp_data.nr
		{Code: equal, K: unix.SYS_SOCKET, Jf: 3},
		{Code: load, K: 16}, // seccomp_data.args[0], its low half on these little-endian machines
		{Code: equal, K: unix.AF_VSOCK, Jf: 1},
		{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}
