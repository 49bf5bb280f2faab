package suite

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/keys"
)

// asserts matches actions of a journey that only look.
var asserts = regexp.MustCompile(`(?i)^\s*(?:then\s+|and\s+)?(?:verify|check|assert|ensure|` +
	`confirm that|expect|make sure|validate)\b|^\s*(?:验证|检查|确认|确保|断言)`)

// said is a text of an XML file with its place.
type said struct {
	text string
	at   keys.Position
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
	var do, all []string
	for _, a := range actions {
		all = append(all, a.text)
		if !asserts.MatchString(a.text) {
			do = append(do, a.text)
			continue
		}
		if do != nil || len(stages) == 0 {
			stages, do = append(stages, Stage{Task: sequence(do, a.text)}), nil
		}
		last := &stages[len(stages)-1]
		last.Expect = append(last.Expect, judged(a.text, a.at))
	}
	if do != nil {
		last := Stage{Task: sequence(do, "")}
		if len(stages) == 0 {
			last.Expect = []Expect{judged("All of this was done: "+strings.Join(all, " "),
				actions[0].at)}
		}
		stages = append(stages, last)
	}
	return []*Item{foreign(s, cmp.Or(name, s.Name), actions[0].at, stages)}, nil
}

// sequence is a task that is these actions, or only to find the screen of a claim.
func sequence(do []string, claim string) string {
	if len(do) == 0 {
		return "Look at the screen, and do not change anything: " + claim
	}
	return strings.Join(do, "\n")
}

func judged(claim string, at keys.Position) Expect {
	e := Expect{Judged: claim}
	e.Put(at)
	return e
}

// parts are the elements of a journey, by their way.
var parts = []string{"journey", "journey/description", "journey/actions",
	"journey/actions/action"}

// parseJourney returns the journey's name and its actions.
func parseJourney(file string, b []byte) (name string, actions []said, err error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	at := func() keys.Position {
		line, column := d.InputPos()
		return keys.Position{File: file, Line: line, Column: column}
	}
	wrong := func(at keys.Position, words string) error {
		return keys.Problems{{Position: at, Text: words}}
	}
	way, text, began := "", "", keys.Position{}
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", nil, wrong(at(), err.Error())
		}
		switch t := t.(type) {
		case xml.StartElement:
			way, text, began = path.Join(way, t.Name.Local), "", at()
			if !slices.Contains(parts, way) {
				return "", nil, wrong(at(), "unknown element "+way+
					" (a journey has a description, and actions with an action each)")
			}
			for _, a := range t.Attr {
				if way == "journey" && a.Name.Local == "name" {
					name = strings.TrimSpace(a.Value)
				}
			}
		case xml.EndElement:
			if text = strings.Join(strings.Fields(text), " "); path.Base(way) == "action" &&
				text != "" {
				actions = append(actions, said{text, began})
			}
			way, text = strings.Trim(path.Dir(way), "."), ""
		case xml.CharData:
			text += string(t)
		}
	}
	if len(actions) == 0 {
		return "", nil, wrong(keys.Position{File: file, Line: 1, Column: 1},
			"this journey has no action")
	}
	return name, actions, nil
}

const journeys = ".journey.xml"
