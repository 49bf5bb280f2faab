package adb

import "strings"

// Quote makes one line for a POSIX shell of a command and its arguments. Every argument reaches the
// command unchanged. An argument cannot hold a NUL byte, because [Device.Open] refuses a line with
// one.
func Quote(argv ...string) string {
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = quote(a)
	}
	return strings.Join(quoted, " ")
}

func quote(a string) string {
	if a != "" && strings.IndexFunc(a, unsafe) < 0 {
		return a
	}
	return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
}

// unsafe is true for all that a shell may read as more than a letter.
func unsafe(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("_-./:,@+", r)
}
