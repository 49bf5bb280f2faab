package glm

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// Write writes as the models of the family do, which press Enter behind every text, and have no
// answers to choose from.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	box := func(p screen.Point) string {
		x, y := s.Numbers(p)
		return fmt.Sprintf(`, "box_2d": [[%s,%s,%s,%s]]`, x, y, x, y)
	}
	can := true
	action := ""
	switch a := d.Action.(type) {
	case actions.Click:
		action = `click"` + box(a.At)
	case actions.DoubleClick:
		action = `double_tap"` + box(a.At)
	case actions.LongPress:
		can = a.Hold == 0
		action = `long_press"` + box(a.At)
	case actions.Type:
		can = a.Submit
		action = fmt.Sprintf(`input_text", "text": %s, "override": %v`,
			dialect.InQuotes(a.Text), a.Clear)
		if a.At != nil {
			action += box(*a.At)
		}
	case actions.HotKey:
		can = a.Key == actions.KeyEnter
		action = `keyboard_enter"`
	case actions.Home:
		action = `navigate_home"`
	case actions.Back:
		action = `navigate_back"`
	case actions.Scroll:
		finger := map[actions.Direction]string{actions.Down: "up", actions.Up: "down",
			actions.Left: "right", actions.Right: "left"}[a.Direction]
		action = fmt.Sprintf(`swipe", "direction": "%s"`, finger) + box(a.At)
	case actions.OpenApp:
		action = `open_app", "app_name": ` + dialect.InQuotes(a.App)
	case actions.Wait:
		action = fmt.Sprintf(`wait", "time": %v`, a.For.Seconds())
	case actions.Note:
		action = `answer", "text": ` + dialect.InQuotes(a.Text)
	case actions.Info:
		can = a.Options == nil && a.Secret == nil && !a.ByHand
		action = `ask_user", "text": ` + dialect.InQuotes(a.Question)
	case actions.Complete:
		action = `status", "goal_status": "complete", "text": ` + dialect.InQuotes(a.Report)
	case actions.Abort:
		can = a.Reason != ""
		action = `status", "goal_status": "infeasible", "text": ` + dialect.InQuotes(a.Reason)
	default:
		can = false
	}
	oneLine := strings.NewReplacer("\n", " ")
	return actions.Reply{Text: "Memory: " + oneLine.Replace(d.Summary) + "\nReason: " +
		oneLine.Replace(d.Explain) + "\nAction: {\"action_type\": \"" + action + "}"}, can
}
