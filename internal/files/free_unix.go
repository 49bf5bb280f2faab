//go:build unix

package files

import "golang.org/x/sys/unix"

// Free returns how many bytes this user may still write to new files on the disk that holds the
// folder.
func Free(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	if s.Files > 0 && s.Ffree == 0 { // no file more, however small
		return 0, nil
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
