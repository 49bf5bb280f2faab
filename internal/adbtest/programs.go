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
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	// not on an ordinary user's PATH
	if path := "/usr/sbin/" + name; name == "adbd" && executable(path) {
		return path, nil
	}
	return "", fmt.Errorf("no %s on PATH or below .cache/rig", name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// fetchedDir is .cache/rig of the module that the tests run in.
var fetchedDir = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache", "rig")
		}
	}
	return filepath.Join(".cache", "rig")
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
	found := tools{paths: map[string]string{}}
	var missing []string
	for _, name := range programs {
		path, err := find(name)
		if err != nil {
			missing = append(missing, name)
			continue
		}
		found.paths[name] = path
	}
	const advice = "run: make setup, or set " + envSwitch + "=off to leave these tests out"
	if len(missing) > 0 {
		return tools{}, hint.Add(fmt.Errorf("missing: %s", strings.Join(missing, ", ")), advice)
	}
	out, err := command(found.paths["adb"], "version").CombinedOutput()
	if err != nil {
		return tools{}, hint.Add(fmt.Errorf("%s version: %w: %s", found.paths["adb"], err, out),
			advice)
	}
	m := adbVersion.FindSubmatch(out)
	if m == nil {
		return tools{}, hint.Add(fmt.Errorf("%s does not report its version: %q",
			found.paths["adb"], out), advice)
	}
	found.version = string(m[1])
	if major, _ := strconv.Atoi(string(m[2])); major < oldest {
		return tools{}, hint.Add(fmt.Errorf("%s is version %s (want %d or newer)",
			found.paths["adb"], m[1], oldest), advice)
	}
	return found, nil
})
