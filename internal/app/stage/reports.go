package stage

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/suite/report"
)

// Reports are the files and folders that results are written to, "" for none.
type Reports struct {
	Junit  string `name:"junit" placeholder:"FILE"`
	Allure string `placeholder:"DIR"`
	Report string `placeholder:"DIR"`
	JSON   string `name:"json" placeholder:"FILE"`
}

// reportFile is a file with the mark by which a former one of its kind is known.
type reportFile struct {
	name, mark string
	make       func(*report.Summary) ([]byte, error)
}

// files are the wanted ones.
func (r Reports) files() []reportFile {
	return slices.DeleteFunc([]reportFile{
		{r.Junit, `<testsuites name="taploop"`, (*report.Summary).JUnit},
		{r.Page(), "<title>taploop test: ", (*report.Summary).Page},
		{r.JSON, `"program": "taploop`, (*report.Summary).JSON},
	}, func(f reportFile) bool { return f.name == "" })
}

// Page is the file of the page, or "".
func (r Reports) Page() string { return below(r.Report, r.Report, "index.html") }

// Folder is where files about attempts are kept, or "" if no report shows them.
func (r Reports) Folder() string {
	const name = "taploop-test"
	return cmp.Or(r.Report, below(r.Junit, filepath.Dir(r.Junit), name),
		below(r.Allure, r.Allure, name), below(r.JSON, filepath.Dir(r.JSON), name))
}

// below is a name in the folder, or "" without the report.
func below(report, dir, name string) string {
	if report == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// Check reports which of them cannot be written, and leaves nothing behind.
func (r Reports) Check() error {
	var errs []error
	taken := map[string]bool{filepath.Clean(r.Report): true, filepath.Clean(r.Allure): true}
	for _, f := range r.files() {
		name := filepath.Clean(f.name)
		if taken[name] {
			return app.Usage(fmt.Errorf("two reports go to %s", name), "name a file for each")
		}
		taken[name] = true
		if err := files.Replaceable(f.name, f.mark); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", f.name, err))
		}
	}
	for _, dir := range []string{r.Allure, r.Folder()} {
		if dir != "" {
			errs = append(errs, files.Fillable(dir))
		}
	}
	return errors.Join(errs...)
}

// Write writes them.
func (r Reports) Write(sum *report.Summary) (err error) {
	sum.Files, _ = filepath.Rel(filepath.Dir(r.JSON), sum.Dir) // or "": on another disk
	for _, f := range r.files() {
		b, failed := f.make(sum)
		if failed == nil {
			failed = files.Replace(f.name, f.mark, b)
		}
		err = errors.Join(err, failed)
	}
	if r.Allure != "" {
		err = errors.Join(err, sum.Allure(r.Allure))
	}
	return err
}
