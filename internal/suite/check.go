package suite

import (
	"fmt"
	"image"
	_ "image/jpeg" // pictures that suites name
	_ "image/png"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/screen"
)

// checkNames refuses two items of one name, which no report could tell apart.
func checkNames(s *Suite, items []*Item, problems *keys.Problems) {
	seen := map[string]keys.Position{}
	for _, i := range items {
		if first, twice := seen[i.Name]; twice {
			problems.Add(i.Case.Of("name"), "there are two cases %q (the first is in line %d)",
				i.Name, first.Line)
			continue
		}
		seen[i.Name] = i.Case.Of("name")
	}
	for _, label := range s.Phones.Labels {
		if _, err := path.Match(label, ""); err != nil {
			problems.Add(s.Phones.Of("labels"), "labels: %q is no pattern", label)
		}
	}
	for _, name := range s.Secrets {
		if envName.FindString(name) != name {
			problems.Add(s.Of("secrets"), "%q is no name of an environment variable", name)
		}
	}
}

var envName = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// checkNeeds refuses cases that need one that is not there, or themselves.
func checkNeeds(s *Suite, problems *keys.Problems) {
	needs := map[string]string{}
	for _, c := range s.Cases {
		needs[c.Name] = c.Needs
	}
	for _, c := range s.Cases {
		if _, ok := needs[c.Needs]; c.Needs != "" && !ok {
			problems.Add(c.Of("needs"), "needs: there is no case %q in this suite", c.Needs)
		}
		way := []string{c.Name}
		for next := c.Needs; next != "" && !slices.Contains(way, next); next = needs[next] {
			way = append(way, next)
		}
		if last := needs[way[len(way)-1]]; last == c.Name && c.Name == slices.Min(way) {
			problems.Add(c.Of("needs"), "needs: the cases need each other: %s",
				strings.Join(append(way, last), " needs "))
		}
	}
}

func (s *Suite) checkRow(c *Case, row keys.Map, problems *keys.Problems) {
	switch {
	case len(c.With) == 0:
	case len(row) == 0 || len(c.With[0]) == 0:
		problems.Add(c.Of("with"), "with: a row is empty")
	case !slices.Equal(row.Keys(), c.With[0].Keys()):
		problems.Add(row[0].At, "with: every row wants a value of %s",
			strings.Join(c.With[0].Keys(), ", "))
	}
}

// checkCase checks what only the whole case shows.
func (s *Suite) checkCase(i *Item, problems *keys.Problems) {
	c := &i.Case
	if !c.Has("expect") {
		problems.Add(c.At(), "case %q expects nothing: add expect, with what has to be true at "+
			"the end, or write expect: none", i.Name)
	}
	for n := range c.Approvals {
		c.Approvals[n].check(problems)
	}
	for n := range c.Expect {
		x := c.Expect[n].Picture
		if x == nil {
			continue
		}
		if _, err := screen.ParseRegion(x.Region); err != nil && x.Region != "" {
			problems.Add(x.Of("region"), "region: %v", err)
		}
		if _, err := s.Image(x.Like); err != nil {
			problems.Add(x.Of("like"), "like: %v", err)
		}
	}
	if text := strings.TrimSpace(c.Task); len(text) > 20_000 {
		problems.Add(c.Of("task"), "the task has %d bytes (at most 20000)", len(text))
	}
}

func (a *Approval) check(problems *keys.Problems) {
	m := &a.Match
	verb := strings.ToUpper(m.Action)
	if _, known := actions.TraitsOf(verb); !known && verb != "" {
		_, err := actions.Named(verb, nil)
		problems.Add(m.Of("action"), "action: %v", err)
	}
	if a.Edited != nil {
		args, is := a.Edited.Args.Value.(map[string]any)
		if _, err := actions.Named(a.Edited.Name, args); err != nil {
			problems.Add(a.Of("edited_action"), "edited_action: %v", err)
		} else if !is && a.Edited.Args.Value != nil {
			problems.Add(a.Edited.Of("args"), "args: want a mapping")
		}
	}
}

// Image reads a picture that the suite names.
func (s *Suite) Image(name string) (image.Image, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s is no PNG or JPEG: %w", name, err)
	}
	return img, nil
}

// filled are the lines of a set-up or a teardown with their values, checked.
func (s *Suite) filled(list []Line, v values, problems *keys.Problems) []Line {
	lines := keys.Filled(list, v.fill, problems)
	for n := range lines {
		l := &lines[n]
		if l.Install != "" {
			f, err := s.One(l.Install)
			if _ = f.Close(); err != nil {
				problems.Add(l.Of("install"), "install: %v", err)
			}
		}
		if p := l.Push; p != nil {
			f, err := s.Open(p.From)
			if _ = f.Close(); err != nil {
				problems.Add(p.Of("from"), "from: the suite's folder has no file %s", p.From)
			}
		}
	}
	return lines
}
