package doctor_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/doctor"
	"github.com/taploop/taploop/internal/sandbox"
)

// An adb program on PATH that does not run is found beside a server that answers, and delays
// nothing. None at all is needed there.
func TestAnADBProgramOnPATHThatDoesNotRunIsNamed(t *testing.T) {
	path := os.Getenv("PATH")
	for name, c := range map[string]struct {
		program string
		want    []string
	}{
		"right":      {"#!/bin/sh\necho Android Debug Bridge version 1.0.41\n", nil},
		"refuses":    {"#!/bin/sh\nexit 126\n", []string{"adb.program"}},
		"no program": {"\x7fELF\x02not one", []string{"adb.program"}},
		"hangs":      {"#!/bin/sh\nexec sleep 60\n", []string{"adb.program"}},
		"missing":    {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetUp(t, small(sandbox.Options{}))
			dir := t.TempDir()
			s.binary = ""
			t.Setenv("PATH", dir)
			if c.program != "" {
				t.Setenv("PATH", dir+string(os.PathListSeparator)+path)
				require.NoError(t, os.WriteFile(filepath.Join(dir, "adb"), []byte(c.program), 0o700))
			}
			began := time.Now()
			o := s.options(t)
			o.Within = 30 * time.Second
			r := doctor.Run(t.Context(), o)
			require.Equal(t, c.want, troubles(r), "%+v", r)
			require.Less(t, time.Since(began), o.Within/2)
			if c.want != nil {
				require.Contains(t, r.Findings[0].Says, filepath.Join(dir, "adb"))
			}
		})
	}
}
