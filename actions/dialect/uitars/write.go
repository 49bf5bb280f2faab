package uitars

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// Write writes as the models of the family do, which have no form for an emptied field, for several
// answers to choose from, and for notes.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	text := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`).Replace(s) +
			"'"
	}
	at := func(p screen.Point) string {
		x, y := s.Numbers(p)
		return "'(" + x + "," + y + ")'"
	}
	call := ""
	switch a := d.Action.(type) {
	case actions.Click:
		call = "click(start_box=" + at(a.At) + ")"
	case actions.DoubleClick:
		call = "double_click(start_box=" + at(a.At) + ")"
	case actions.LongPress:
		call = fmt.Sprintf("long_press(start_box=%s, time='%v')", at(a.At), a.Hold.Seconds())
	case actions.Type:
		if a.At != nil || a.Clear || strings.HasSuffix(a.Text, "\n") || a.Text == "" {
			return actions.Reply{}, false
		}
		if a.Submit {
			a.Text += "\n"
		}
		call = "type(content=" + text(a.Text) + ")"
	case actions.Scroll:
		call = fmt.Sprintf("scroll(start_box=%s, direction='%s')", at(a.At), a.Direction)
	case actions.Slide:
		if a.Took != 0 {
			return actions.Reply{}, false
		}
		call = "drag(start_box=" + at(a.From) + ", end_box=" + at(a.To) + ")"
	case actions.OpenApp:
		call = "open_app(app_name=" + text(a.App) + ")"
	case actions.Home:
		call = "press_home()"
	case actions.Back:
		call = "press_back()"
	case actions.Recents:
		call = "press_recent()"
	case actions.HotKey:
		call = "hotkey(key='" + string(a.Key) + "')"
	case actions.Wait:
		call = fmt.Sprintf("wait(time='%v')", a.For.Seconds())
	case actions.Info:
		if a.Options != nil || a.Secret != nil || a.ByHand {
			return actions.Reply{}, false
		}
		call = "call_user(content=" + text(a.Question) + ")"
	case actions.Complete:
		call = "finished(content=" + text(a.Report) + ")"
	case actions.Abort:
		call = "abort(content=" + text(a.Reason) + ")"
	default:
		return actions.Reply{}, false
	}
	return actions.Reply{Text: "Thought: " + d.Thought + "\nAction: " + call}, true
}
