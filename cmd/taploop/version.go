package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by a release build: -ldflags "-X main.version=1.2.3".
var version = ""

type versionCmd struct{}

// Run prints the version on stdout.
func (versionCmd) Run(a *app) error {
	_, err := fmt.Fprint(a.out, versionLine())
	return err
}

func versionLine() string {
	return fmt.Sprintf("taploop %s %s %s/%s\n", ownVersion(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}

func ownVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" &&
		info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}
