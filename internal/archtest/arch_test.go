package archtest

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const root = "../.."

// simulated are the packages of the simulated phone.
const simulated = "internal/sandbox/..."

// row is one package of the module, or with "/..." at its end all those below that have no row of
// their own. Lists are separated by spaces, and packages of ours go without the module's path.
type row struct {
	pkg     string
	imports string // packages of ours that it may import; "*" is any
	tests   string // what its tests may import besides that
	why     string
}

// road closes an import to packages. "/..." at the end of a pattern takes in what is below.
type road struct {
	to    string
	only  string // when set, nobody else may import it
	never string // these may not import it
	code  bool   // tests may
	why   string
}

// file is one Go file of the module.
type file struct {
	name    string // relative to the module's root
	pkg     string // its folder
	test    bool
	outside bool     // its package clause ends in _test
	imports []string // ours without the module's path
}

// load reads the imports of all Go files, whatever their build tags. Folders that the go tool
// ignores are left out.
func load(root string) ([]file, error) {
	module, err := modulePath(root)
	if err != nil {
		return nil, err
	}
	var files []file
	err = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := e.Name()
		if e.IsDir() && name != root && (base == "testdata" || base[0] == '.' || base[0] == '_') {
			return filepath.SkipDir
		}
		if e.IsDir() || filepath.Ext(base) != ".go" {
			return nil
		}
		f, err := parse(root, name, module)
		files = append(files, f)
		return err
	})
	return files, err
}

func modulePath(root string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(mod)
	if m == nil {
		return "", errors.New("go.mod names no module")
	}
	return string(m[1]), nil
}

func parse(root, name, module string) (file, error) {
	syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		return file{}, err
	}
	rel, err := filepath.Rel(root, name)
	if err != nil {
		return file{}, err
	}
	rel = filepath.ToSlash(rel)
	f := file{name: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go"),
		outside: strings.HasSuffix(syntax.Name.Name, "_test")}
	for _, spec := range syntax.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return file{}, err
		}
		if target == module {
			target = module + "/."
		}
		f.imports = append(f.imports, strings.TrimPrefix(target, module+"/"))
	}
	return f, nil
}

// violations says what in the files goes against the rows and the roads.
func violations(files []file, rows []row, roads []road) []string {
	byPackage := map[string]row{}
	for _, r := range rows {
		byPackage[r.pkg] = r
	}
	ours := map[string]bool{}
	for _, f := range files {
		ours[f.pkg] = true
	}
	var found []string
	used := map[string]bool{}
	rowOf := func(pkg string) (row, bool) {
		r, own := byPackage[pkg]
		for above := pkg; !own && above != "."; {
			above = path.Dir(above)
			r, own = byPackage[above+"/..."]
		}
		used[r.pkg] = true
		return r, own
	}
	for pkg := range ours {
		if _, ok := rowOf(pkg); !ok {
			found = append(found, fmt.Sprintf("package %s has no row in the map", pkg))
		}
	}
	for pkg := range byPackage {
		if !used[pkg] {
			found = append(found, fmt.Sprintf("the map has a row for %s, which is not there", pkg))
		}
	}
	for _, f := range files {
		r, known := rowOf(f.pkg)
		for _, target := range f.imports {
			if known && ours[target] && !r.allows(f, target) {
				found = append(found, fmt.Sprintf("%s imports %s, which its row does not allow",
					f.name, target))
			}
			for _, r := range roads {
				if r.closed(f, target) {
					found = append(found, fmt.Sprintf("%s imports %s: closed, because %s", f.name,
						target, r.why))
				}
			}
		}
	}
	slices.Sort(found)
	return found
}

func (r row) allows(f file, target string) bool {
	if r.imports == "*" || within(target, r.imports) || within(target, everyCode) {
		return true
	}
	return f.test && (target == f.pkg || within(target, r.tests) || within(target, everyTest))
}

// closed reports whether the road forbids the import. A road that is closed to code only is still
// closed to tests inside a package when it leads to the simulated phone: those would pull it into
// the package that is tested.
func (r road) closed(f file, target string) bool {
	if target == f.pkg || !matches(target, r.to) || f.test && r.code &&
		(f.outside || !matches(target, simulated)) {
		return false
	}
	if r.only != "" {
		return !within(f.pkg, r.only)
	}
	return within(f.pkg, r.never)
}

// within reports whether one of the patterns, separated by spaces, matches.
func within(pkg, patterns string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool {
		return matches(pkg, p)
	})
}

func matches(pkg, pattern string) bool {
	above, deep := strings.CutSuffix(pattern, "/...")
	return pkg == above || deep && strings.HasPrefix(pkg, above+"/")
}
