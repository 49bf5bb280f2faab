package suite

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/text"
)

// Options of Read.
type Options struct {
	Getenv func(string) string
	// Note, unless it is nil, is called for files of a folder that cannot be read, and for cases
	// that a model can pass by its words.
	Note    func(keys.Problem)
	secrets map[string]bool // of all suites so far
}

// Read reads suites from files and folders, and returns their items. Its error is keys.Problems,
// with all that is wrong. No secret of any suite stands in it, or in a note.
func Read(ctx context.Context, paths []string, o Options) ([]*Item, error) {
	var items []*Item
	var problems keys.Problems
	o.secrets = map[string]bool{}
	read := map[string]bool{}
	for _, path := range paths {
		list, err := o.list(ctx, path)
		problems.Join(path, err)
		for _, file := range list {
			if read[filepath.Clean(file)] || ctx.Err() != nil {
				continue
			}
			read[filepath.Clean(file)] = true
			b, err := files.Found(file)
			if err == nil {
				more, wrong := o.parse(file, b, file == path)
				items, err = append(items, more...), wrong
			}
			problems.Join(file, err)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	recorded := map[string]*Item{}
	for _, i := range items {
		switch first := recorded[i.Cassette()]; {
		case read[filepath.Clean(i.Cassette())] || maybeSuite(i.Cassette()):
			problems.Add(i.Case.Of("cassette"), "this names a suite, no recording (NAME.jsonl)")
		case i.leadsOut():
			problems.Add(i.Case.Of("cassette"), "want a path below the suite's folder")
		case first != nil && i.Case.Cassette != "":
			problems.Add(i.Case.Of("cassette"), "the case %q has this cassette too", first.Name)
		case first != nil && first.Suite != i.Suite:
			problems.Add(i.At(), "%s has a case of these names too: one cassette is for both; "+
				"name the suites differently", first.At())
		}
		recorded[i.Cassette()] = i
	}
	if len(items) == 0 && problems == nil {
		problems.Add(keys.Position{File: strings.Join(paths, ", ")}, "there is no test here; "+
			"name a suite, or a folder with *.yaml or *.journey.xml files")
	}
	for n := range problems {
		problems[n].Text = o.masked(problems[n].Text)
	}
	return items, problems.Err()
}

// list returns the files of a path that may be suites.
func (o Options) list(ctx context.Context, path string) (list []string, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	root := path + string(filepath.Separator) // also behind a link
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case d.IsDir() && file != root && (name[0] == '.' ||
			slices.Contains([]string{"cassettes", "node_modules", "skills"}, name)):
			return filepath.SkipDir
		case d.Type()&^fs.ModeSymlink == 0 && maybeSuite(name):
			list = append(list, file)
		}
		return nil
	})
	return list, err
}

// maybeSuite reports whether a folder's file of this name may be a suite.
func maybeSuite(name string) bool {
	return strings.HasSuffix(name, journeys) ||
		slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name))
}

// parse reads one file's text. named says that it was asked for by its name.
func (o Options) parse(file string, b []byte, named bool) ([]*Item, error) {
	if strings.HasSuffix(file, journeys) {
		return readJourney(file, b)
	}
	n, err := keys.Parse(file, b)
	if _, list, listed := bytes.Cut(b, []byte("secrets")); listed && err != nil {
		for _, name := range envName.FindAll(list, 1000) {
			o.secrets[o.Getenv(string(name))] = true // the error may show it
		}
	}
	has := keys.Top(n)
	if !named && !meant(has, b, err) {
		if wrong, _ := errors.AsType[keys.Problems](err); wrong != nil {
			o.note(wrong[0].Position, "this file is left out: %s", wrong[0].Text)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if n.Type() == ast.SequenceType || has["tests"] != nil && has["cases"] == nil {
		return readFirebase(file, n)
	}
	s := newSuite(file, filepath.Ext(file))
	err = keys.Read(file, n, s)
	problems := o.readSecrets(s)
	if err != nil {
		return nil, err
	}
	return o.items(s, problems)
}

func (o Options) note(at keys.Position, format string, args ...any) {
	if o.Note != nil {
		o.Note(keys.Problem{Position: at, Text: o.masked(fmt.Sprintf(format, args...))})
	}
}

// meant reports whether a file of a folder was meant to be a suite, and not anything else.
func meant(has map[string]ast.Node, b []byte, err error) bool {
	if err != nil {
		return suiteMark.Match(bytes.ReplaceAll(b, []byte{0}, nil)) // of UTF-16, too
	}
	for key, value := range has {
		if suiteKey.MatchString(key) || keys.Top(value)["task"] != nil {
			return true
		}
	}
	return false
}

// suiteMark shows that a broken file was meant to be a suite, suiteKey that another one was.
var suiteMark = regexp.MustCompile(
	`(?m)^(\x{FFFD}+|\{.*)?\s*["']?(cases|tests|- displayName)["']?\s*:`)
var suiteKey = regexp.MustCompile(`(?i)case|^(tests|displayName|task|setup|teardown|each)$`)

// items makes the items of a suite and checks them.
func (o Options) items(s *Suite, problems keys.Problems) ([]*Item, error) {
	v := values{map[string]string{}, s.masked}
	for _, p := range s.Vars {
		// no secret under another name
		value, err := values{v.known, nil}.fill(p.Value, strings.Clone)
		if err != nil {
			problems.Add(p.At, "%v", err)
		}
		if _, both := v.secrets[p.Key]; both {
			problems.Add(p.At, "%s is a variable and a secret", p.Key)
		}
		v.known[p.Key] = value
	}
	s.Setup = s.filled(s.Setup, v, &problems)
	s.Teardown = s.filled(s.Teardown, v, &problems)
	var items []*Item
	for _, c := range s.Cases {
		items = append(items, s.expand(c, v, &problems)...)
		if c.Expect != nil && !slices.ContainsFunc(c.Expect,
			func(e Expect) bool { return e.Answer.Regexp == nil }) {
			o.note(c.Of("expect"), "case %q expects only what the agent says: add an "+
				"expectation that it cannot grant itself", c.Name)
		}
	}
	checkNames(s, items, &problems)
	checkNeeds(s, &problems)
	return items, problems.Err()
}

// leastSecret is how many characters a secret has at least: what is shorter is in too many texts to
// be masked.
const leastSecret = 3

// readSecrets reads the secrets of s from the environment.
func (o Options) readSecrets(s *Suite) (problems keys.Problems) {
	s.masked = map[string]string{}
	for _, name := range s.Secrets {
		value := o.Getenv(name)
		o.secrets[value] = true
		switch {
		case value == "":
			problems.Add(s.Of("secrets"), "the environment variable %s, a secret of this suite, "+
				"is not set", name)
		case len([]rune(value)) < leastSecret:
			problems.Add(s.Of("secrets"), "the value of %s is too short to be masked (at least "+
				"%d characters)", name, leastSecret)
		}
		s.masked[name] = cmp.Or(value, Hidden)
	}
	return problems
}

// Hidden stands for a secret.
const Hidden = "***"

// Mask hides the secrets of all suites of the items.
func Mask(items []*Item) text.Mask {
	var all []string
	for _, i := range items {
		all = slices.AppendSeq(all, maps.Values(i.Suite.masked))
	}
	return text.NewMask(all, leastSecret, Hidden)
}

// masked is a text without the secrets that were read so far.
func (o Options) masked(s string) string {
	return text.NewMask(slices.Collect(maps.Keys(o.secrets)), leastSecret, Hidden).Text(s)
}

// expand makes the items of a case, one for each row.
func (s *Suite) expand(c *Case, v values, problems *keys.Problems) []*Item {
	if s.leaks(c, v, problems) {
		return nil
	}
	rows := c.With
	if len(rows) == 0 {
		rows = []keys.Map{nil}
	}
	var items []*Item
	for n, row := range rows {
		s.checkRow(c, row, problems)
		with, before := v.with(row), len(*problems)
		i := &Item{Suite: s, Case: keys.Filled([]Case{*c}, with.fill, problems)[0]}
		i.Case.written, i.Case.Needs, i.Case.Params = c.Name, c.Needs, c.Params
		i.Setup = s.filled(s.Each.Setup, with, problems)
		i.Teardown = s.filled(s.Each.Teardown, with, problems)
		i.Stages = []Stage{s.stage(&i.Case, with, problems)}
		if i.Name = i.Case.Name; row != nil {
			if i.Row = n + 1; i.Name == c.Name {
				i.Name += " [" + row.String() + "]"
			}
		}
		s.checkCase(i, problems)
		if items = append(items, i); len(*problems) > before {
			break // the other rows say the same
		}
	}
	return items
}

// stage is what a case does: its task, or a skill with its parameters filled in.
func (s *Suite) stage(c *Case, v values, problems *keys.Problems) Stage {
	one := Stage{Task: c.Task, Expect: c.Expect}
	if c.Skill == "" {
		return one
	}
	known, err := skill.Folder(s.Path("skills")).Read(c.Skill)
	if err != nil {
		problems.Add(c.Of("skill"), "skill: %v", err)
		return one
	}
	values := map[string]any{}
	for _, p := range c.Params {
		value, err := v.fill(p.Value, strings.Clone)
		if err != nil {
			problems.Add(p.At, "%v", err)
		}
		values[p.Key] = value
	}
	filled, err := known.Fill(values)
	if err != nil {
		problems.Add(c.Of("params"), "params: %v", err)
		return one
	}
	one.Task, one.Skill = filled.Task, &skill.Plan{Skill: filled, Heal: skill.HealAuto}
	return one
}

// leaks refuses secrets where the model or a report would show them.
func (s *Suite) leaks(c *Case, v values, problems *keys.Problems) bool {
	before := len(*problems)
	refuse := func(at keys.Position, where, text string) {
		said, _ := v.fill(text, strings.Clone)
		for _, name := range slices.Sorted(maps.Keys(v.secrets)) {
			if strings.Contains(strings.ToLower(said), strings.ToLower(v.secrets[name])) {
				problems.Add(at, "the secret %s cannot be in %s, which the model and the reports "+
					"show; let the agent ask for it, and give it as a reply", name, where)
			}
		}
	}
	refuse(c.Of("task"), "a task", c.Task)
	refuse(c.Of("name"), "a name or a tag", strings.Join(slices.Concat(
		[]string{s.Name, c.Name}, s.Tags, c.Tags), "\n"))
	refuse(c.Of("cassette"), "a file name", c.Cassette)
	for _, p := range slices.Concat(slices.Concat(c.With...), c.Params) {
		refuse(p.At, "a row or a skill's parameters", p.Key+" "+p.Value)
	}
	for _, a := range c.Approvals {
		refuse(a.Of("message"), "a message", a.Message)
		args, _ := json.Marshal(a.Edited)
		refuse(a.Of("edited_action"), "an action", string(args))
	}
	return len(*problems) > before
}
