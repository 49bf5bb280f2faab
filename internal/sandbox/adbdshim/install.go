package adbdshim

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/taploop/taploop/internal/sandbox/shell"
)

// Names lists the commands that a stand-in can be: Android's own. The small Unix tools come from
// the real userland.
func Names() []string { return shell.Names() }

// Install makes a link in dir for each of Names to binary, which must be a stand-in (see package
// standin) when it is started under one of them. Existing links are replaced, other files
// are not.
func Install(dir, binary string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return fmt.Errorf("installing stand-ins: %w", err)
	}
	for _, name := range Names() {
		link := filepath.Join(dir, name)
		if info, err := os.Lstat(link); err == nil {
			if info.Mode()&os.ModeSymlink == 0 {
				return fmt.Errorf("installing stand-ins: %s is there and no link", link)
			}
			if err := os.Remove(link); err != nil {
				return fmt.Errorf("installing stand-ins: %w", err)
			}
		}
		if err := os.Symlink(binary, link); err != nil {
			return fmt.Errorf("installing stand-ins: %w", err)
		}
	}
	return nil
}
