package suite

import (
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/taploop/taploop/internal/keys"
)

// firebaseFile is a file of the Firebase App Testing agent. Older files are the list alone.
type firebaseFile struct {
	keys.Place
	Tests    []*firebaseTest `yaml:"tests" need:"yes"`
	Defaults *keys.Any       `yaml:"defaultConfig"` // of browsers
}

type firebaseTest struct {
	keys.Place
	Name  string         `yaml:"displayName" need:"yes"`
	ID    string         `yaml:"id"`
	After string         `yaml:"prerequisiteTestCaseId"`
	Steps []firebaseStep `yaml:"steps" need:"yes"`
	Test  *keys.Any      `yaml:"testConfig"` // of browsers
}

type firebaseStep struct {
	keys.Place
	Goal      string `yaml:"goal" need:"yes"`
	Hint      string `yaml:"hint"`
	Assertion string `yaml:"finalScreenAssertion"`
	Criteria  string `yaml:"successCriteria"` // its older name
}

// readFirebase reads tests of the Firebase App Testing agent. What a step asserts in words is
// judged by a model when the step is done, and where it asserts nothing, that it was done.
func readFirebase(file string, n ast.Node) ([]*Item, error) {
	var f firebaseFile
	var to any = &f
	if n.Type() == ast.SequenceType {
		to = &f.Tests
	}
	if err := keys.Read(file, n, to); err != nil {
		return nil, err
	}
	s := newSuite(file, filepath.Ext(file))
	byID := map[string]*firebaseTest{}
	var items []*Item
	var problems keys.Problems
	for _, t := range f.Tests {
		if byID[t.ID] != nil && t.ID != "" {
			problems.Add(t.Of("id"), "there are two tests with the id %q", t.ID)
		}
		byID[t.ID] = t
	}
	delete(byID, "")
	for _, t := range f.Tests {
		var stages []Stage
		for _, one := range t.chain(byID, &problems) {
			stages = append(stages, one.stages()...)
		}
		items = append(items, foreign(s, t.Name, t.At(), stages))
	}
	checkNames(s, items, &problems)
	return items, problems.Err()
}

// chain is a test with the tests before it.
func (t *firebaseTest) chain(byID map[string]*firebaseTest,
	problems *keys.Problems) []*firebaseTest {
	var list []*firebaseTest
	for one := t; one != nil; one = byID[one.After] {
		if slices.Contains(list, one) {
			problems.Add(t.Of("prerequisiteTestCaseId"), "the tests go before each other")
			break
		}
		list = append([]*firebaseTest{one}, list...)
		if one.After != "" && byID[one.After] == nil {
			problems.Add(one.Of("prerequisiteTestCaseId"), "there is no test with the id %q",
				one.After)
		}
	}
	return list
}

// stages are the steps of a test.
func (t *firebaseTest) stages() (list []Stage) {
	for _, s := range t.Steps {
		one := Stage{Task: s.Goal}
		if s.Hint != "" {
			one.Task += "\nHint: " + s.Hint
		}
		if s.Assertion != "" {
			one.Expect = append(one.Expect, judged(s.Assertion, s.Of("finalScreenAssertion")))
		}
		if s.Criteria != "" {
			one.Expect = append(one.Expect, judged(s.Criteria, s.Of("successCriteria")))
		}
		if one.Expect == nil {
			one.Expect = allDone([]string{s.Goal}, s.At())
		}
		list = append(list, one)
	}
	return list
}
