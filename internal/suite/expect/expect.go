// Package expect checks on a phone what a case expects. No model has a say, except where a claim is
// to be judged.
package expect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// Screen is what expectations read of a phone's screen. *device.Phone is one.
type Screen interface {
	Look(ctx context.Context) (screen.Observation, error)
	State(ctx context.Context) (screen.State, error)
	Elements(ctx context.Context) ([]screen.Element, error)
}

// Inside is what expectations read in a phone, behind its screen. device.Admin is one.
type Inside interface {
	Setting(ctx context.Context, namespace, name string) (string, error)
	Query(ctx context.Context, uri string, projection []string, where string) (
		[]map[string]string, error)
	ReadFile(ctx context.Context, name string) ([]byte, error)
	Run(ctx context.Context, line string, takes time.Duration) (said string, code int, err error)
	Logcat(ctx context.Context, since string) (string, error)
}

// Phone is the phone of an attempt.
type Phone struct {
	Screen Screen
	Inside Inside
}

// Facts are what is known of the attempt.
type Facts struct {
	Suite  *suite.Suite
	Answer string // the agent's report
	Since  string // the phone's time when the attempt began
	// Judge asks a model whether a claim about the screen is true. Its words say why.
	Judge func(ctx context.Context, claim string, f *screen.Frame) (yes bool, why string, err error)
}

// every is how long there is between two looks for what is to become true.
const every = 300 * time.Millisecond

// Check checks one expectation, until it is true or its time is over. Its error is one of the phone
// or of the judging model, and says nothing about the expectation.
func Check(ctx context.Context, p Phone, e *suite.Expect, f *Facts) (suite.Checked, error) {
	end := time.Now().Add(time.Duration(e.Within))
	out := suite.Checked{What: Words(e), Line: e.At().Line, Judged: e.Judged != ""}
	for {
		got, err := found(ctx, p, e, f)
		if out.OK, out.Got = err == nil && got == "", text.Cut(got, 600); out.OK || err != nil {
			return out, err
		}
		if left := time.Until(end); left <= 0 || wait.For(ctx, min(every, left)) != nil {
			return out, ctx.Err()
		}
	}
}

// found returns what is there instead of what is expected, or "".
func found(ctx context.Context, p Phone, e *suite.Expect, f *Facts) (string, error) {
	switch {
	case e.App != "":
		return app(ctx, p.Screen, e.App)
	case e.Text != "", e.NoText != "":
		return words(ctx, p.Screen, e)
	case e.Element != nil:
		return element(ctx, p.Screen, e.Element)
	case e.Answer.Regexp != nil:
		return unless(e.Answer.MatchString(f.Answer), "the agent reported %q", f.Answer), nil
	case e.Setting != nil:
		got, err := p.Inside.Setting(ctx, e.Setting.Namespace, e.Setting.Name)
		return unless(got == e.Setting.Value, "it is %q", got), err
	case e.Query != nil:
		return query(ctx, p.Inside, e.Query)
	case e.File != nil:
		return file(ctx, p.Inside, e.File)
	case e.Shell != nil:
		return shell(ctx, p.Inside, e.Shell)
	case e.Logcat != nil:
		return logcat(ctx, p.Inside, e.Logcat, f.Since)
	case e.Picture != nil:
		return picture(ctx, p.Screen, e.Picture, f.Suite)
	}
	return judge(ctx, p.Screen, e.Judged, f)
}

// unless is the message, or "" if ok.
func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func app(ctx context.Context, p Screen, pkg string) (string, error) {
	s, err := p.State(ctx)
	return unless(s.App == pkg, "%s is in front", cmp.Or(s.App, "no known app")), err
}

// elements lists what the screen shows.
func elements(ctx context.Context, p Screen) ([]screen.Element, string, error) {
	_, err := p.Look(ctx)
	var list []screen.Element
	if err == nil {
		list, err = p.Elements(ctx)
	}
	if errors.Is(err, screen.ErrSecure) {
		return nil, "the app in front forbids that its screen is read", nil
	}
	return list, "", err
}

func words(ctx context.Context, p Screen, e *suite.Expect) (string, error) {
	list, blind, err := elements(ctx, p)
	if err != nil || blind != "" {
		return blind, err
	}
	want := text.Line(cmp.Or(e.Text, e.NoText))
	var all []string
	for _, x := range list {
		for _, s := range []string{text.Line(x.Text), text.Line(x.ContentDesc)} {
			if strings.Contains(s, want) {
				return unless(e.Text != "", "it is on the screen: %q", s), nil
			}
			if s != "" {
				all = append(all, s)
			}
		}
	}
	return unless(e.Text == "", "the screen says: %s", strings.Join(all, " | ")), nil
}

// element finds the elements that fit, or what of the nearest one does not.
func element(ctx context.Context, p Screen, e *suite.Element) (string, error) {
	list, blind, err := elements(ctx, p)
	if err != nil || blind != "" {
		return blind, err
	}
	n, near, most := 0, "there is none like it", 0
	for i := range list {
		fits, lacks := compare(&list[i], e)
		if lacks == "" {
			n++
		} else if fits > most {
			near, most = "the nearest is "+name(&list[i])+", and "+lacks, fits
		}
	}
	switch {
	case e.Count != nil && n != *e.Count:
		return fmt.Sprintf("there are %d", n), nil
	case e.Count == nil && n == 0:
		return near, nil
	}
	return "", nil
}

func name(x *screen.Element) string {
	return fmt.Sprintf("%s %q", cmp.Or(x.ResourceID, x.Class), cmp.Or(x.Text, x.ContentDesc))
}

// compare says how many of the wanted marks fit, and which one does not.
func compare(x *screen.Element, e *suite.Element) (fits int, lacks string) {
	for _, m := range []struct {
		given, ok bool
		lacks     string
	}{
		{e.ID != "", x.ResourceID == e.ID || strings.HasSuffix(x.ResourceID, ":id/"+e.ID),
			"its id is " + x.ResourceID},
		{e.Class != "", x.Class == e.Class || strings.HasSuffix(x.Class, "."+e.Class),
			"its class is " + x.Class},
		{e.Text != "", text.Line(x.Text) == text.Line(e.Text),
			fmt.Sprintf("its text is %q", x.Text)},
		{e.Desc != "", text.Line(x.ContentDesc) == text.Line(e.Desc),
			fmt.Sprintf("its description is %q", x.ContentDesc)},
		{e.Checked != nil, e.Checked != nil && x.Checked == *e.Checked,
			fmt.Sprintf("checked is %t", x.Checked)},
		{e.Enabled != nil, e.Enabled != nil && x.Enabled == *e.Enabled,
			fmt.Sprintf("enabled is %t", x.Enabled)},
	} {
		switch {
		case !m.given:
		case m.ok:
			fits++
		case lacks == "":
			lacks = m.lacks
		}
	}
	return fits, lacks
}

func query(ctx context.Context, p Inside, q *suite.Query) (string, error) {
	rows, err := p.Query(ctx, q.URI, q.Projection, q.Where)
	if err != nil {
		return "", err
	}
	if q.Rows != nil && len(rows) != *q.Rows || q.Rows == nil && len(rows) == 0 {
		return fmt.Sprintf("there are %d rows", len(rows)), nil
	}
	if q.Value == "" {
		return "", nil
	}
	for _, r := range rows {
		for _, v := range r {
			if v == q.Value {
				return "", nil
			}
		}
	}
	return fmt.Sprintf("the rows are %s", text.Readable(rows)), nil
}

func file(ctx context.Context, p Inside, f *suite.File) (string, error) {
	b, err := p.ReadFile(ctx, f.Path)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing:
		return unless(f.Absent, "it is not there"), nil
	case err != nil:
		return "", err
	case f.Absent:
		return "it is there", nil
	}
	return unless(strings.Contains(string(b), f.Contains), "it contains %s",
		text.Quote(string(b), 300)), nil
}

// commandTime is how long an expectation's command may last.
const commandTime = time.Minute

func shell(ctx context.Context, p Inside, s *suite.Shell) (string, error) {
	said, code, err := p.Run(ctx, s.Command, commandTime)
	want := 0
	if s.Code != nil {
		want = *s.Code
	}
	said = strings.TrimRight(said, "\r\n")
	ok := code == want && (s.Output.Regexp == nil || s.Output.MatchString(said))
	return unless(ok, "it ended with code %d and said %s", code, text.Quote(said, 300)), err
}

// logLine is a line of logcat's threadtime form.
var logLine = regexp.MustCompile(`^\S+ \S+ +\d+ +\d+ [VDIWEFAS] (.*?)\s*: (.*)$`)

func logcat(ctx context.Context, p Inside, l *suite.Logcat, since string) (string, error) {
	all, err := p.Logcat(ctx, since)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(all) {
		m := logLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || l.Tag != "" && m[1] != l.Tag ||
			l.Match.Regexp != nil && !l.Match.MatchString(m[2]) {
			continue
		}
		return unless(!l.Absent, "there is: %s", strings.TrimSpace(line)), nil
	}
	return unless(l.Absent, "the log has no such line"), nil
}

// judge asks the model twice. Two yeses pass.
func judge(ctx context.Context, p Screen, claim string, f *Facts) (string, error) {
	look, err := p.Look(ctx)
	if err != nil && !errors.Is(err, screen.ErrSecure) {
		return "", err
	}
	for n := range 2 {
		yes, why, err := f.Judge(ctx, claim, look.Frame)
		if err != nil || !yes {
			return fmt.Sprintf("the model says no (answer %d of 2): %s", n+1, why), err
		}
	}
	return "", nil
}
