package autoglm

import (
	"fmt"
	"strconv"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
)

// Write writes as the models of the family do, which type in place of what is there, and never
// submit.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	place := func(n int) string {
		x, y := s.Numbers(actions.Points(d.Action)[n])
		return "[" + x + ", " + y + "]"
	}
	var call string
	can := true
	switch a := d.Action.(type) {
	case actions.Click:
		call = `do(action="Tap", element=` + place(0) + ")"
	case actions.DoubleClick:
		call = `do(action="Double Tap", element=` + place(0) + ")"
	case actions.LongPress:
		call = `do(action="Long Press", element=` + place(0) + lasting(a.Hold) + ")"
	case actions.Slide:
		call = `do(action="Swipe", start=` + place(0) + ", end=" + place(1) + lasting(a.Took) + ")"
	case actions.Type:
		can = a.At == nil && a.Clear && !a.Submit
		call = fmt.Sprintf(`do(action="Type", text=%s)`, dialect.InQuotes(a.Text))
	case actions.OpenApp:
		call = fmt.Sprintf(`do(action="Launch", app=%s)`, dialect.InQuotes(a.App))
	case actions.Back:
		call = `do(action="Back")`
	case actions.Home:
		call = `do(action="Home")`
	case actions.Wait:
		call = `do(action="Wait"` + lasting(a.For) + ")"
	case actions.Info:
		can = a.Options == nil && a.Secret == nil
		call = fmt.Sprintf(`do(action="Interact", message=%s)`, dialect.InQuotes(a.Question))
		if a.ByHand {
			call = fmt.Sprintf(`do(action="Take_over", message=%s)`, dialect.InQuotes(a.Question))
		}
	case actions.Note:
		call = fmt.Sprintf(`do(action="Note", message=%s)`, dialect.InQuotes(a.Text))
	case actions.Abort:
		call = fmt.Sprintf(`do(action="Abort", message=%s)`, dialect.InQuotes(a.Reason))
	case actions.Complete:
		call = fmt.Sprintf(`finish(message=%s)`, dialect.InQuotes(a.Report))
	default:
		can = false
	}
	text := "<think>" + d.Thought + "</think><answer>" + call + "</answer>"
	return actions.Reply{Text: text}, can
}

// lasting is a call's argument for how long something takes, when that is said.
func lasting(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf(`, duration="%v seconds"`,
		strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
}
