package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/store"
)

// What a release build sets: -ldflags "-X main.version=1.2.3 -X main.commit=... -X main.date=...".
var version, commit, date string

type versionCmd struct {
	JSON     bool
	Licenses bool
}

// licenses is their text, compressed.
//
//go:generate go run ./genlicenses licenses.txt.gz
//go:embed licenses.txt.gz
var licenses []byte

// Run prints the version on stdout, or the licences.
func (c *versionCmd) Run(a *invocation) error {
	if !c.Licenses {
		b := thisBuild()
		if c.JSON {
			return printJSON(a.out, b)
		}
		return a.tell(fmt.Sprintf("%scommit %s\nbuilt %s\nschema %d", versionLine(),
			cmp.Or(b.Commit, "unknown"), cmp.Or(b.Date, "unknown"), b.Schema))
	}
	_, err := a.out.Write(files.Unpack(licenses))
	return err
}

// build is how the program was built.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"` // of the build, or of the commit without one
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Schema  int    `json:"schema"` // of the store
}

func thisBuild() build {
	b := build{Version: ownVersion(), Commit: commit, Date: date, Go: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Schema: store.Schema()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = cmp.Or(b.Commit, s.Value)
			case "vcs.time":
				b.Date = cmp.Or(b.Date, s.Value)
			}
		}
	}
	return b
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
