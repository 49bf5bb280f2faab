package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// version is set by a release build: -ldflags "-X main.version=1.2.3".
var version = ""

type versionCmd struct {
	Licenses bool `help:"Print the licences of all that the program is made of."`
}

// licenses is their text, compressed.
//
//go:generate go run ./genlicenses licenses.txt.gz
//go:embed licenses.txt.gz
var licenses []byte

// Run prints the version on stdout, or the licences.
func (c *versionCmd) Run(a *invocation) error {
	if !c.Licenses {
		_, err := fmt.Fprint(a.out, versionLine())
		return err
	}
	text, err := gzip.NewReader(bytes.NewReader(licenses))
	if err != nil {
		return err
	}
	_, err = io.Copy(a.out, text)
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
