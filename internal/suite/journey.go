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

// journeyFile is a journey, with the elements that it must not have.
type journeyFile struct {
	XMLName     xml.Name `xml:"journey"`
	Name        string   `xml:"name,attr"`
	Description string   `xml:"description"`
	Actions     struct {
		List    []*element `xml:"action"`
		Unknown []*element `xml:",any"`
	} `xml:"actions"`
	Unknown []*element `xml:",any"`
}

// element is an element of an XML file with its text and place.
type element struct {
	name    string
	at      keys.Position
	Text    string     `xml:",chardata"`
	Unknown []*element `xml:",any"`
}

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
		last := actions[len(actions)-1]
		stages = append(stages, Stage{Task: strings.Join(do, "\n"),
			Expect: allDone(do, last.at)})
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
	var j journeyFile
	err = d.Decode(&j)
	if err == nil {
		if err = d.Decode(new(element)); err == nil {
			err = errors.New("a journey is one element, and there is another behind it")
		}
	}
	if err != io.EOF {
		line, column := d.InputPos()
		return "", nil, keys.Problems{{Text: err.Error(),
			Position: keys.Position{File: file, Line: line, Column: column}}}
	}
	unknown := slices.Concat(j.Unknown, j.Actions.Unknown)
	for _, a := range j.Actions.List {
		unknown = append(unknown, a.Unknown...)
		if a.at.File = file; a.Text != "" {
			actions = append(actions, a)
		}
	}
	var problems keys.Problems
	for _, e := range unknown {
		e.at.File = file
		problems.Add(e.at, "unknown element %s (a journey has a description, and actions with an "+
			"action each)", e.name)
	}
	if len(actions) == 0 && problems == nil {
		problems.Add(keys.Position{File: file, Line: 1, Column: 1}, "this journey has no action")
	}
	return strings.TrimSpace(j.Name), actions, problems.Err()
}

const journeys = ".journey.xml"
