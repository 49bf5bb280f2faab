// Command genlicenses writes the licences of all that is linked into taploop on any system that it
// is built for into the file that it is given, compressed.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/files"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "genlicenses:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	text, err := licenses()
	if err != nil {
		return err
	}
	return files.Pack(path, text)
}

// module is a module, or Go itself, with the files in which it states its terms.
type module struct {
	name  string // with its version
	files map[string]string
}

// licenses is the text.
func licenses() ([]byte, error) {
	parts, err := linked()
	if err != nil {
		return nil, err
	}
	own := &module{name: "taploop", files: map[string]string{}}
	golang := &module{name: "Go, its standard library and runtime", files: map[string]string{}}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("asking Go where it is: %w", err)
	}
	if err = own.take("../..", "../.."); err == nil {
		goroot := strings.TrimSpace(string(root))
		err = golang.take(goroot, goroot)
	}
	if err != nil {
		return nil, err
	}
	vendored, err := scripts("../../internal/page/assets/vendor")
	if err != nil {
		return nil, err
	}
	parts = append(parts, vendored...)
	var b bytes.Buffer
	b.WriteString("taploop is made of what follows, each under its own terms.\n")
	for _, p := range append([]*module{own, golang}, parts...) {
		if len(p.files) == 0 {
			return nil, fmt.Errorf("%s states no terms in a file that this program knows", p.name)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", strings.Repeat("=", 80), p.name)
		for _, name := range slices.Sorted(maps.Keys(p.files)) {
			fmt.Fprintf(&b, "%s\n%s\n\n%s\n", strings.Repeat("-", 80), name, p.files[name])
		}
	}
	return b.Bytes(), nil
}

// scripts is the libraries of the page in a folder, each with the file of its terms.
func scripts(folder string) (list []*module, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.LICENSE"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no library of the page states its terms in %s", folder)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".LICENSE")
		list = append(list, &module{name + " (JavaScript)", map[string]string{"LICENSE": clean(b)}})
	}
	return list, err
}

// linked is the modules of which a package is linked on one of the systems, by name.
func linked() ([]*module, error) {
	const format = "{{with .Module}}{{if not .Main}}" +
		"{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
	parts := map[string]*module{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", format, ".",
			"../../internal/sandbox/ui/genfonts") // of which parts are compiled in
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("listing what is linked on %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 3 {
				continue
			}
			if parts[f[0]] == nil {
				parts[f[0]] = &module{f[0], map[string]string{}}
				if err := parts[f[0]].takeFonts(f[1]); err != nil {
					return nil, err
				}
			}
			if err := parts[f[0]].take(f[1], f[2]); err != nil {
				return nil, err
			}
		}
	}
	return slices.SortedFunc(maps.Values(parts), func(a, b *module) int {
		return strings.Compare(a.name, b.name)
	}), nil
}

// terms are the names of files in which terms are stated.
var terms = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|copyright|notice|patents)`)

// take reads the terms in the folder of a package and those above it, up to the module's.
func (p *module) take(module, folder string) error {
	for dir := folder; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range slices.DeleteFunc(entries, fs.DirEntry.IsDir) {
			name, err := filepath.Rel(module, filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			if !terms.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			p.files[filepath.ToSlash(name)] = clean(b)
		}
		if dir == module {
			return nil
		}
	}
}

// fonts is the module that holds fonts of others: their terms are in its README, or named there and
// stand here.
const fonts = "github.com/hajimehoshi/bitmapfont/"

//go:embed OFL-1.1.txt
var openFontLicense []byte

// takeFonts reads the terms of the fonts in a module.
func (p *module) takeFonts(module string) error {
	if !strings.HasPrefix(p.name, fonts) {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(module, "README.md"))
	p.files["README.md"], p.files["OFL-1.1"] = clean(b), clean(openFontLicense)
	return err
}

// clean is the text with line ends of one kind.
func clean(b []byte) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(b), "?"), "\r\n", "\n")
	return strings.TrimSpace(text)
}
