package stage

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

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
func (r Reports) files() (list []reportFile) {
	for _, f := range []reportFile{
		{r.Junit, `<testsuites name="taploop"`, (*report.Summary).JUnit},
		{r.Page(), "<title>taploop test: ", (*report.Summary).Page},
		{r.JSON, `"program": "taploop`, (*report.Summary).JSON}} {
		if f.name != "" {
			list = append(list, f)
		}
	}
	return list
}

// Page is the file of the page, or "".
func (r Reports) Page() string {
	if r.Report == "" {
		return ""
	}
	return filepath.Join(r.Report, "index.html")
}

// Folder is where files about attempts are kept, or "" if no report shows them.
func (r Reports) Folder() string {
	in := func(dir, report string) string {
		if report == "" {
			return ""
		}
		return filepath.Join(dir, "taploop-test")
	}
	return cmp.Or(r.Report, in(filepath.Dir(r.Junit), r.Junit), in(r.Allure, r.Allure),
		in(filepath.Dir(r.JSON), r.JSON))
}

// Check reports which of them cannot be written, and leaves nothing behind.
func (r Reports) Check() error {
	var errs []error
	taken := map[string]bool{}
	for _, f := range r.files() {
		whole, err := filepath.Abs(f.name)
		if taken[whole] {
			return app.Usage(fmt.Errorf("two reports go to %s", f.name), "name a file for each")
		}
		taken[whole] = true
		if err == nil {
			err = files.Replaceable(f.name, f.mark)
		}
		errs = append(errs, unwritten(f.name, err))
	}
	for _, dir := range []string{r.Allure, r.Folder()} {
		if dir != "" {
			errs = append(errs, unwritten(dir, files.Fillable(dir)))
		}
	}
	return errors.Join(errs...)
}

// unwritten is the error of a report, or nil.
func unwritten(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing %s: %w", name, err)
}

// Write writes them.
func (r Reports) Write(sum *report.Summary) error {
	var errs []error
	sum.Files, _ = filepath.Rel(filepath.Dir(r.JSON), sum.Dir) // or "": on another disk
	for _, f := range r.files() {
		b, err := f.make(sum)
		if err == nil {
			err = files.Replace(f.name, f.mark, b)
		}
		errs = append(errs, unwritten(f.name, err))
	}
	if r.Allure != "" {
		errs = append(errs, unwritten(r.Allure, sum.Allure(r.Allure)))
	}
	return errors.Join(errs...)
}
