package expect

import (
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/suite"
)

// Words is an expectation in one line.
func Words(e *suite.Expect) string {
	s := what(e)
	if e.Within > 0 {
		s += fmt.Sprintf(" within %v", time.Duration(e.Within))
	}
	return s
}

func what(e *suite.Expect) string {
	switch {
	case e.App != "":
		return "app " + e.App + " in front"
	case e.Text != "":
		return fmt.Sprintf("text %q", e.Text)
	case e.NoText != "":
		return fmt.Sprintf("no text %q", e.NoText)
	case e.Element != nil:
		return "element " + marks(e.Element)
	case e.Answer.Regexp != nil:
		return "answer like " + e.Answer.Source
	case e.Setting != nil:
		return fmt.Sprintf("setting %s %s = %q", e.Setting.Namespace, e.Setting.Name,
			e.Setting.Value)
	case e.Query != nil:
		return queryWords(e.Query)
	case e.File != nil:
		return fileWords(e.File)
	case e.Shell != nil:
		return "shell " + e.Shell.Command
	case e.Logcat != nil:
		return "logcat" + unless(!e.Logcat.Absent, " without") + unless(e.Logcat.Tag == "",
			" tag %s", e.Logcat.Tag) + unless(e.Logcat.Match.Regexp == nil, " like %s",
			e.Logcat.Match.Source)
	case e.Picture != nil:
		return "picture like " + e.Picture.Like + unless(e.Picture.Region == "", " in %s",
			e.Picture.Region)
	}
	return "judged by a model: " + e.Judged
}

func marks(e *suite.Element) string {
	var list []string
	for _, m := range [][2]string{{"id", e.ID}, {"text", e.Text}, {"desc", e.Desc},
		{"class", e.Class}} {
		if m[1] != "" {
			list = append(list, fmt.Sprintf("%s %q", m[0], m[1]))
		}
	}
	if e.Checked != nil {
		list = append(list, fmt.Sprintf("checked %t", *e.Checked))
	}
	if e.Enabled != nil {
		list = append(list, fmt.Sprintf("enabled %t", *e.Enabled))
	}
	if e.Count != nil {
		list = append(list, fmt.Sprintf("count %d", *e.Count))
	}
	return strings.Join(list, ", ")
}

func queryWords(q *suite.Query) string {
	s := "query " + q.URI + unless(q.Where == "", " where %s", q.Where)
	if q.Rows != nil {
		s += fmt.Sprintf(", %d rows", *q.Rows)
	}
	return s + unless(q.Value == "", ", value %q", q.Value)
}

func fileWords(f *suite.File) string {
	return "file " + f.Path + unless(!f.Absent, " absent") + unless(f.Contains == "",
		" contains %q", f.Contains)
}
