package actions

import (
	"fmt"
	"strings"
	"time"
)

// Describe is the action in words for people, on one line, for example: tap (0.512,0.334). Long texts are shortened.
func Describe(a Action) string {
	switch a := a.(type) {
	case Click:
		return fmt.Sprintf("tap %v", a.At)
	case DoubleClick:
		return fmt.Sprintf("tap %v twice", a.At)
	case LongPress:
		return fmt.Sprintf("hold %v for %v", a.At, usual(a.Hold))
	case Type:
		return describeType(a)
	case Slide:
		return fmt.Sprintf("slide from %v to %v in %v", a.From, a.To, usual(a.Took))
	case Scroll:
		return fmt.Sprintf("scroll %s at %v", a.Direction, a.At)
	case Drag:
		return fmt.Sprintf("drag from %v to %v", a.From, a.To)
	case OpenApp:
		return "open " + short(a.App)
	case Back:
		return "go back"
	case Home:
		return "go to the home screen"
	case Recents:
		return "show the recent apps"
	case HotKey:
		return fmt.Sprintf("press the key %s", a.Key)
	case Wait:
		return fmt.Sprintf("wait %v", min(a.For, MaxWait).Round(time.Millisecond))
	case Info:
		return "ask " + short(a.Question)
	case Note:
		return "note " + short(a.Text)
	case Complete:
		return reported("done", a.Report)
	case Abort:
		return reported("give up", a.Reason)
	}
	return fmt.Sprintf("%T", a)
}

func describeType(a Type) string {
	var steps []string
	if a.At != nil {
		steps = append(steps, fmt.Sprintf("tap %v", *a.At))
	}
	if a.Clear {
		steps = append(steps, "empty the field")
	}
	if a.Text != "" || !a.Clear {
		steps = append(steps, "type "+short(a.Text))
	}
	if a.Submit {
		steps = append(steps, "press Enter")
	}
	return strings.Join(steps, ", ")
}

func reported(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + short(why)
}

// short is s in quotes, control characters escaped, cut after 80 characters.
func short(s string) string {
	const shown = 80
	if r := []rune(s); len(r) > shown {
		return fmt.Sprintf("%q...", string(r[:shown]))
	}
	return fmt.Sprintf("%q", s)
}
