package adbtest

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/taploop/taploop/internal/hint"
)

// Disk returns a folder on a separate file system of that many bytes, with a file for each 16 kB,
// for a test to fill. It lasts until the test ends. Without namespaces the test fails, or is left
// out as in Start.
func Disk(t testing.TB, bytes int) (dir string) {
	t.Helper()
	wanted(t)
	if outside != nil {
		t.Fatalf("no disk to fill: %v\n  try: %s", outside, hint.Of(outside))
	}
	dir = t.TempDir()
	size := fmt.Sprintf("size=%d,nr_inodes=%d", bytes, bytes>>14)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, size); err != nil {
		t.Fatalf("mounting a disk to fill: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmounting a disk: %v", err)
		}
	})
	return dir
}
