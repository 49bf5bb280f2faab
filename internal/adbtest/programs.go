package adbtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/hint"
)

// programs are what the rig is made of, and oldest is the first version of adb whose adbd speaks as
// today's phones do.
var programs = []string{"adb", "adbd", "mksh", "toybox"}

const oldest = 34

// find returns the path of a program: the copy that scripts/setup fetched, else the machine's own.
func find(name string) (string, error) {
	fetched := filepath.Join(fetchedDir(), "bin", name)
	if _, err := os.Stat(fetched); err == nil {
		return fetched, nil
	}
	if strings.EqualFold(os.Getenv(envSystem), "off") {
		return "", fmt.Errorf("no %s below .cache/rig, and %s=off", name, envSystem)
	}
	path, err := exec.LookPath(name)
	if err != nil && name == "adbd" {
		path, err = exec.LookPath("/usr/sbin/adbd") // not on an ordinary user's PATH
	}
	if err != nil {
		return "", fmt.Errorf("no %s on PATH or below .cache/rig", name)
	}
	return path, nil
}

func fetchedDir() string { return filepath.Join(Cache(), "rig") }

// Cache is the folder of the module that the tests run in with what scripts/setup fetches.
var Cache = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache")
		}
	}
	return ".cache"
})

// libraries is the environment in which the fetched programs find the libraries that came with
// them.
func libraries() []string {
	lib := filepath.Join(fetchedDir(), "lib")
	if _, err := os.Stat(lib); err != nil {
		return nil
	}
	return []string{"LD_LIBRARY_PATH=" + lib}
}

// command is a program of the rig, to be run with this process's environment.
func command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Env = append(cmd.Environ(), libraries()...)
	return cmd
}

// tools are the programs of the rig on this machine.
type tools struct {
	paths   map[string]string
	version string // of adb, as it says itself
}

var adbVersion = regexp.MustCompile(`(?m)^Version ((\d+)\S*)`)

// usable returns the programs, or an error that names all that are missing.
var usable = sync.OnceValues(func() (tools, error) {
	found, err := search()
	return found, hint.Add(err, "run: make setup, or set "+envSwitch+
		"=off to leave these tests out")
})

func search() (tools, error) {
	found := tools{paths: map[string]string{}}
	var missing []string
	for _, name := range programs {
		path, err := find(name)
		if err != nil {
			missing = append(missing, name)
		}
		found.paths[name] = path
	}
	if len(missing) > 0 {
		return found, fmt.Errorf("missing: %s", strings.Join(missing, ", "))
	}
	adb := found.paths["adb"]
	out, err := command(adb, "version").CombinedOutput()
	if err != nil {
		return found, fmt.Errorf("%s version: %w: %s", adb, err, out)
	}
	m := adbVersion.FindSubmatch(out)
	if m == nil {
		return found, fmt.Errorf("%s does not report its version: %q", adb, out)
	}
	found.version = string(m[1])
	if major, _ := strconv.Atoi(string(m[2])); major < oldest {
		return found, fmt.Errorf("%s is version %s (want %d or newer)", adb, m[1], oldest)
	}
	return found, nil
}
