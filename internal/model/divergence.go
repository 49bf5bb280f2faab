package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Divergence is a request that a cassette has no answer to: none is left for it, or it was made on
// another screen than the recorded one.
type Divergence struct {
	path, why string
	missed    bool   // no request said the same
	was, now  *Sight // may be nil
	pictures  string // where both are to be looked at
}

func (d *Divergence) Error() string {
	step := ""
	if d.now != nil && d.now.Step > 0 {
		step = fmt.Sprintf("step %d: ", d.now.Step)
	}
	return fmt.Sprintf("replaying %s: %s%s%s", d.path, step, d.why, d.pictures)
}

// keep puts both pictures next to the cassette, or where temporary files go when it lies where
// nothing can be written.
func (d *Divergence) keep() {
	if d.was == nil || d.now == nil {
		return
	}
	for _, base := range []string{d.path, filepath.Join(os.TempDir(), filepath.Base(d.path))} {
		was := fmt.Sprintf("%s.step%d-recorded.png", base, d.now.Step)
		now := fmt.Sprintf("%s.step%d-seen.png", base, d.now.Step)
		err := errors.Join(os.WriteFile(was, d.was.PNG, 0o600), os.WriteFile(now, d.now.PNG, 0o600))
		if err == nil {
			d.pictures = fmt.Sprintf("; recorded: %s, seen: %s", was, now)
			return
		}
		d.pictures = fmt.Sprintf("; the pictures could not be kept: %v", err)
	}
}
