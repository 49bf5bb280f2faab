package glm

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

// Write writes as the models of the family do. Giving up without a reason has the one in front.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	form, args := forms.Write(dialect.ByFinger(d.Action))
	if form == nil || d.Action == (actions.Abort{}) {
		return actions.Reply{}, false
	}
	action := `{"action_type": "` + form.Name + `"`
	for _, a := range args {
		value := dialect.AsJSON(a.Value)
		if p, is := a.Value.(screen.Point); is {
			x, y := s.Numbers(p)
			value = fmt.Sprintf("[[%s,%s,%s,%s]]", x, y, x, y)
		}
		action += `, "` + a.Name + `": ` + value
	}
	oneLine := strings.NewReplacer("\n", " ")
	return actions.Reply{Text: "Memory: " + oneLine.Replace(d.Summary) + "\nReason: " +
		oneLine.Replace(d.Explain) + "\nAction: " + action + "}"}, true
}
