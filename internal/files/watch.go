package files

import (
	"context"
	"os"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// Watcher reports changes of files by any process. The zero value is ready to use. A Watcher is
// safe for concurrent use.
type Watcher struct{ changed wait.Broadcast }

// every is how often the files are polled.
const every = 200 * time.Millisecond

// Changed returns a channel that is closed at the next change that Run sees, or that Tell is told.
func (w *Watcher) Changed() <-chan struct{} { return w.changed.Next() }

// Tell reports a change of a source that is no file.
func (w *Watcher) Tell() { w.changed.Send() }

// Run watches the files until ctx ends. Creating or removing a file is a change.
func (w *Watcher) Run(ctx context.Context, paths ...string) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	before := make([]os.FileInfo, len(paths))
	for first := true; ; first = false {
		changed := false
		for i, path := range paths {
			now, _ := os.Stat(path) // nil if it does not exist or cannot be read
			changed = changed || !same(before[i], now)
			before[i] = now
		}
		if changed && !first {
			w.changed.Send()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func same(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
