// Package expect checks on a phone what a case expects. No model has a say, except where a claim is
// to be judged.
package expect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"

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

// Facts are what is known of the attempt and its phone.
type Facts struct {
	Screen Screen
	Inside Inside
	Suite  *suite.Suite
	Answer string // the agent's report
	Since  string // the phone's time when the attempt began
	// Judge asks a model whether a claim about the screen is true. Its words say why.
	Judge func(ctx context.Context, claim string) (yes bool, why string, err error)
	Say   *suite.Words // nil is English
}

// every is how long there is between two looks for what is to become true.
const every = 300 * time.Millisecond

// Unasked is an expectation that is not asked, as the outcome is known without it.
func Unasked(e *suite.Expect, say *suite.Found) suite.Checked {
	what := Words(e)
	switch {
	case e.Judged != "":
		what = fmt.Sprintf(say.Model, what)
	case e.Answer.Regexp != nil:
		what = fmt.Sprintf(say.Own, what)
	}
	return suite.Checked{What: what, Line: e.At().Line, Judged: e.Judged != "",
		NotAsked: say.Known}
}

// Check checks one expectation, until it is true or its time is over. Its error is one of the phone
// or of the judging model, and says nothing about the expectation.
func Check(ctx context.Context, e *suite.Expect, f *Facts) (suite.Checked, error) {
	end := time.Now().Add(time.Duration(e.Within))
	c := checker{f, &cmp.Or(f.Say, suite.WordsIn("")).Found}
	out := Unasked(e, c.say)
	out.NotAsked = ""
	if out.Judged { // a no is not asked about again: the screen gets its time before
		if err := wait.For(ctx, time.Duration(e.Within)); err != nil {
			return out, err
		}
		end = time.Now()
	}
	for {
		got, err := c.found(ctx, e)
		if errors.Is(err, screen.ErrSecure) {
			got, err = c.say.Secure, nil
		} else if other, is := errors.AsType[*suite.Trouble](err); is && other.Kind == "" {
			got, err = other.Error(), nil
		}
		if out.OK, out.Got = err == nil && got == "", text.Cut(got, 600); out.OK || err != nil {
			return out, err
		}
		if left := time.Until(end); left <= 0 || wait.For(ctx, min(every, left)) != nil {
			return out, ctx.Err()
		}
	}
}

// checker checks the expectations of an attempt.
type checker struct {
	*Facts
	say *suite.Found
}

// found returns what is there instead of what is expected, or "".
func (c checker) found(ctx context.Context, e *suite.Expect) (string, error) {
	switch {
	case e.App != "":
		s, err := c.Screen.State(ctx)
		return unless(s.App == e.App, c.say.Front, cmp.Or(s.App, c.say.NoApp)), err
	case e.Text != "", e.NoText != "":
		return c.words(ctx, e)
	case e.Element != nil:
		return c.element(ctx, e.Element)
	case e.Answer.Regexp != nil:
		return unless(e.Answer.MatchString(c.Answer), c.say.Reported, c.Answer), nil
	case e.Setting != nil:
		got, err := c.Inside.Setting(ctx, e.Setting.Namespace, e.Setting.Name)
		if got == "null" { // Android's word for a setting that is not there
			got = ""
		}
		return unless(got == e.Setting.Value, c.say.Is, got), err
	case e.Query != nil:
		return c.query(ctx, e.Query)
	case e.File != nil:
		return c.file(ctx, e.File)
	case e.Shell != nil:
		return c.shell(ctx, e.Shell)
	case e.Logcat != nil:
		return c.logcat(ctx, e.Logcat)
	case e.Picture != nil:
		return c.picture(ctx, e.Picture)
	}
	return c.judge(ctx, e.Judged)
}

// Words is an expectation in one line, as a suite's author would write it.
func Words(e *suite.Expect) string {
	b, _ := yaml.MarshalWithOptions(e, yaml.Flow(true), yaml.OmitZero()) // plain values
	if strings.Contains(strings.TrimSpace(string(b)), "\n") {            // a text of lines
		b, _ = yaml.MarshalWithOptions(e, yaml.JSON(), yaml.OmitZero())
	}
	line := strings.Join(strings.Fields(string(b)), " ")
	return strings.TrimSuffix(strings.TrimPrefix(line, "{"), "}")
}

// unless is the message, or "" if ok.
func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// elements lists what the screen shows.
func (c checker) elements(ctx context.Context) ([]screen.Element, error) {
	if _, err := c.Screen.Look(ctx); err != nil {
		return nil, err
	}
	return c.Screen.Elements(ctx)
}

func (c checker) words(ctx context.Context, e *suite.Expect) (string, error) {
	list, err := c.elements(ctx)
	if err != nil {
		return "", err
	}
	want := text.Line(cmp.Or(e.Text, e.NoText))
	var all []string
	for _, x := range list {
		for _, s := range []string{text.Line(x.Text), text.Line(x.ContentDesc)} {
			if strings.Contains(s, want) {
				return unless(e.Text != "", c.say.Shown, s), nil
			}
			if s != "" {
				all = append(all, s)
			}
		}
	}
	return unless(e.Text == "", c.say.Says, strings.Join(all, " | ")), nil
}

// element finds the elements that fit, or what of the nearest one does not.
func (c checker) element(ctx context.Context, e *suite.Element) (string, error) {
	list, err := c.elements(ctx)
	if err != nil {
		return "", err
	}
	n, near, most := 0, c.say.NoneLike, 0
	for i := range list {
		fits, lacks := c.compare(&list[i], e)
		if lacks == "" {
			n++
		} else if fits > most {
			name := fmt.Sprintf("%s %q", cmp.Or(list[i].ResourceID, list[i].Class),
				cmp.Or(list[i].Text, list[i].ContentDesc))
			near, most = fmt.Sprintf(c.say.Nearest, name, lacks), fits
		}
	}
	if e.Count != nil {
		return unless(n == *e.Count, c.say.Count, n), nil
	}
	return unless(n > 0, "%s", near), nil
}

// compare says how many of the wanted marks fit, and which one does not.
func (c checker) compare(x *screen.Element, e *suite.Element) (fits int, lacks string) {
	mark := func(given, ok bool, says string, got any) {
		switch {
		case !given:
		case ok:
			fits++
		case lacks == "":
			lacks = fmt.Sprintf(says, got)
		}
	}
	mark(e.ID != "", x.ResourceID == e.ID || strings.HasSuffix(x.ResourceID, ":id/"+e.ID),
		c.say.ID, x.ResourceID)
	mark(e.Class != "", x.Class == e.Class || strings.HasSuffix(x.Class, "."+e.Class),
		c.say.Class, x.Class)
	mark(e.Text != "", text.Line(x.Text) == text.Line(e.Text), c.say.Text, x.Text)
	mark(e.Desc != "", text.Line(x.ContentDesc) == text.Line(e.Desc), c.say.Desc, x.ContentDesc)
	mark(e.Checked != nil, e.Checked != nil && x.Checked == *e.Checked, c.say.Checked, x.Checked)
	mark(e.Enabled != nil, e.Enabled != nil && x.Enabled == *e.Enabled, c.say.Enabled, x.Enabled)
	return fits, lacks
}

func (c checker) query(ctx context.Context, q *suite.Query) (string, error) {
	rows, err := c.Inside.Query(ctx, q.URI, q.Projection, q.Where)
	if err != nil {
		return "", err
	}
	if q.Rows != nil && len(rows) != *q.Rows || q.Rows == nil && len(rows) == 0 {
		return fmt.Sprintf(c.say.Rows, len(rows)), nil
	}
	has := q.Value == "" || slices.ContainsFunc(rows, func(r map[string]string) bool {
		return slices.Contains(slices.Collect(maps.Values(r)), q.Value)
	})
	return unless(has, c.say.TheRows, text.Readable(rows)), nil
}

func (c checker) file(ctx context.Context, f *suite.File) (string, error) {
	b, err := c.Inside.ReadFile(ctx, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unless(f.Absent, "%s", c.say.NotThere), nil
	case err != nil && !errors.Is(err, syscall.EISDIR): // a folder is there, and has no text
		return "", err
	case f.Absent:
		return c.say.There, nil
	}
	return unless(strings.Contains(string(b), f.Contains), c.say.Contains,
		text.Quote(string(b), 300)), nil
}

// commandTime is how long an expectation's command may last.
const commandTime = time.Minute

func (c checker) shell(ctx context.Context, s *suite.Shell) (string, error) {
	said, code, err := c.Inside.Run(ctx, s.Command, commandTime)
	want := *cmp.Or(s.Code, new(int))
	said = strings.TrimRight(said, "\r\n")
	ok := code == want && (s.Output.Regexp == nil || s.Output.MatchString(said))
	return unless(ok, c.say.Ended, code, text.Quote(said, 300)), err
}

// logLine is a line of logcat's threadtime form.
var logLine = regexp.MustCompile(`^\S+ \S+ +\d+ +\d+ [VDIWEFAS] (.*?)\s*: (.*)$`)

func (c checker) logcat(ctx context.Context, l *suite.Logcat) (string, error) {
	all, err := c.Inside.Logcat(ctx, c.Since)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(all) {
		m := logLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m != nil && (l.Tag == "" || m[1] == l.Tag) &&
			(l.Match.Regexp == nil || l.Match.MatchString(m[2])) {
			return unless(!l.Absent, c.say.LogLine, strings.TrimSpace(line)), nil
		}
	}
	return unless(l.Absent, "%s", c.say.NoLine), nil
}

// judge asks the model twice. Two yeses pass, anything else fails.
func (c checker) judge(ctx context.Context, claim string) (string, error) {
	for n := range 2 {
		yes, why, err := c.Judge(ctx, claim)
		if err != nil || !yes {
			return fmt.Sprintf(c.say.No, n+1, why), err
		}
	}
	return "", nil
}
