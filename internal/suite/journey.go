package suite

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/keys"
)

// asserts matches actions of a journey that only look.
var asserts = regexp.MustCompile(`(?i)^\s*(?:then\s+|and\s+)?(?:verify|check|assert|ensure|` +
	`confirm that|expect|make sure|validate)\b|^\s*(?:验证|检查|确认|确保|断言)`)

// element is an element of a journey with its text and place.
type element struct {
	name  string
	at    keys.Position
	Title string     `xml:"name,attr"`
	Text  string     `xml:",chardata"`
	In    []*element `xml:",any"`
}

// parts are the elements that an element of a journey has.
var parts = map[string]string{"": "journey", "journey": "description actions", "actions": "action"}

// UnmarshalXML implements xml.Unmarshaler.
func (e *element) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	type plain element
	e.name = start.Name.Local
	e.at.Line, e.at.Column = d.InputPos()
	err := d.DecodeElement((*plain)(e), &start)
	e.Text = strings.Join(strings.Fields(e.Text), " ")
	return err
}

// readJourney reads a *.journey.xml: actions in words, one after the other. What only looks is
// judged by a model when the actions before it are done.
func readJourney(file string, b []byte) ([]*Item, error) {
	name, actions, err := parseJourney(file, b)
	if err != nil {
		return nil, err
	}
	s := newSuite(file, journeys)
	var stages []Stage
	var do []string
	for _, a := range actions {
		if !asserts.MatchString(a.Text) {
			do = append(do, a.Text)
			continue
		}
		if do != nil || len(stages) == 0 {
			task := strings.Join(do, "\n")
			if do == nil {
				task = "Look at the screen, and do not change anything: " + a.Text
			}
			stages, do = append(stages, Stage{Task: task}), nil
		}
		last := &stages[len(stages)-1]
		last.Expect = append(last.Expect, judged(a.Text, a.at))
	}
	if do != nil {
		stages = append(stages, Stage{Task: strings.Join(do, "\n"),
			Expect: allDone(do, actions[len(actions)-1].at)})
	}
	return []*Item{foreign(s, cmp.Or(name, s.Name), actions[0].at, stages)}, nil
}

// allDone judges what no assertion comes after.
func allDone(do []string, at keys.Position) []Expect {
	return []Expect{judged("All of this was done: "+strings.Join(do, "; "), at)}
}

func judged(claim string, at keys.Position) Expect {
	e := Expect{Judged: claim}
	e.Put(at)
	return e
}

// parseJourney returns the journey's name and its actions.
func parseJourney(file string, b []byte) (name string, actions []*element, err error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) {
		return nil, errors.New("save the file as UTF-8")
	}
	var top element
	if err = d.Decode(&top.In); err == nil {
		if err = d.Decode(&top.In); err == nil {
			err = errors.New("a journey is one element, and there is another behind it")
		}
	}
	if err != io.EOF {
		line, column := d.InputPos()
		return "", nil, keys.Problems{{Text: err.Error(),
			Position: keys.Position{File: file, Line: line, Column: column}}}
	}
	var problems keys.Problems
	if top.actions(file, &actions, &problems); len(actions) == 0 && problems == nil {
		problems.Add(keys.Position{File: file, Line: 1, Column: 1}, "this journey has no action")
	}
	return strings.TrimSpace(top.In[0].Title), actions, problems.Err()
}

// actions collects the actions in an element, and what is in it that no journey has.
func (e *element) actions(file string, all *[]*element, problems *keys.Problems) {
	for _, in := range e.In {
		in.at.File = file
		switch {
		case !slices.Contains(strings.Fields(parts[e.name]), in.name):
			problems.Add(in.at, "unknown element %s (a journey has a description, and actions "+
				"with an action each)", in.name)
		case in.name == "action" && in.Text != "":
			*all = append(*all, in)
		}
		in.actions(file, all, problems)
	}
}

const journeys = ".journey.xml"
