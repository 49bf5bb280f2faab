package clients

import (
	"errors"
	"path/filepath"

	"github.com/taploop/taploop/internal/hint"
)

// Machine says where the user's files are.
type Machine struct {
	OS     string // a value of runtime.GOOS
	Getenv func(string) string
}

// home returns the user's home folder.
func (m Machine) home() (string, error) {
	name := "HOME"
	if m.OS == "windows" {
		name = "USERPROFILE"
	}
	if dir := m.Getenv(name); filepath.IsAbs(dir) {
		return dir, nil
	}
	return "", hint.Add(errors.New("the home folder is not known"),
		"set "+name+" to its absolute path")
}

// appFolder returns the folder of the settings of desktop programs.
func (m Machine) appFolder() (string, error) {
	switch m.OS {
	case "windows":
		if dir := m.Getenv("APPDATA"); filepath.IsAbs(dir) {
			return dir, nil
		}
		return "", hint.Add(errors.New("the folder of programs' settings is not known"),
			"set APPDATA to its absolute path")
	case "darwin":
		home, err := m.home()
		return filepath.Join(home, "Library", "Application Support"), err
	}
	// "All paths set in these environment variables must be absolute. If an implementation
	// encounters a relative path [...] it should consider the path invalid and ignore it."
	if dir := m.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := m.home()
	return filepath.Join(home, ".config"), err
}

func inAppFolder(path ...string) func(Machine) (string, error) {
	return func(m Machine) (string, error) { return below(m.appFolder, path...) }
}

func inHome(path ...string) func(Machine) (string, error) {
	return func(m Machine) (string, error) { return below(m.home, path...) }
}

// inFolderOf returns the file in the folder that the variable names, or else the other path.
func inFolderOf(variable, name string, otherwise func(Machine) (string, error)) func(Machine) (
	string, error) {
	return func(m Machine) (string, error) {
		if dir := m.Getenv(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, name), nil
		}
		return otherwise(m)
	}
}

func below(folder func() (string, error), path ...string) (string, error) {
	dir, err := folder()
	if err != nil {
		return "", err
	}
	return filepath.Join(append([]string{dir}, path...)...), nil
}
