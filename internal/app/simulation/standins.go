package simulation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/sandbox/adbdshim"
)

// StandIns installs the phone's commands as programs in the folder, for a real adbd, and serves
// them at a socket until ctx ends. It returns the absolute paths of both, and a function that waits
// for the end.
func (s *Simulation) StandIns(ctx context.Context, folder string) (dir, socket string,
	end func() error, err error) {
	if dir, err = filepath.Abs(folder); err != nil {
		return "", "", nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return "", "", nil, fmt.Errorf("finding this program: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", nil, err
	}
	if err := adbdshim.Install(dir, self); err != nil {
		return "", "", nil, err
	}
	socket = filepath.Join(dir, ".socket")
	ln, err := adbdshim.Listen(socket)
	if err != nil {
		return "", "", nil, hint.Add(fmt.Errorf("serving the phone's commands: %w", err),
			"if no sandbox uses "+dir+" any more, delete "+socket)
	}
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() { failed = adbdshim.Serve(ctx, ln, s.Shell) })
	return dir, socket, func() error { wg.Wait(); return failed }, nil
}
