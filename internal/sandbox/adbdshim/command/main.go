// Command command is a stand-in and nothing else, which starts in a small part of the time that
// taploop takes to start, so that measurements on a phone behind the real adbd are the phone's.
package main

import (
	"os"
	"path/filepath"

	"github.com/taploop/taploop/internal/sandbox/adbdshim/standin"
)

func main() { os.Exit(standin.Main(filepath.Base(os.Args[0]), os.Args[1:])) }
