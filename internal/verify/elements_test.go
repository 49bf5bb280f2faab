package verify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// row is a label with a switch beside it, or without one.
type row struct {
	says          string
	checkable, on bool
	field         bool
	link          bool
}

func rows(list ...row) (out []screen.Element) {
	for i, r := range list {
		y := 0.1 + 0.08*float64(i)
		out = append(out, screen.Element{Text: r.says, Editable: r.field, Clickable: r.link, Bounds: screen.Rect{
			Min: screen.Point{X: 0, Y: y}, Max: screen.Point{X: 0.7, Y: y + 0.05}}})
		if r.checkable {
			out = append(out, screen.Element{Checkable: true, Checked: r.on, Bounds: screen.Rect{
				Min: screen.Point{X: 0.8, Y: y}, Max: screen.Point{X: 1, Y: y + 0.05}}})
		}
	}
	return out
}

func TestAnEndIsHeldAgainstWhatTheScreenLists(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task string
		list []screen.Element
		want agentloop.Verified
	}{
		"on and off": {"Turn on the dark theme and turn Wi-Fi off.",
			rows(row{says: "Dark theme", checkable: true, on: true}, row{says: "Wi-Fi", checkable: true}),
			agentloop.IsVerified},
		"one the other way": {"Turn on the dark theme and turn Wi-Fi off.",
			rows(row{says: "Dark theme", checkable: true, on: true}, row{says: "Wi-Fi", checkable: true, on: true}),
			agentloop.Contradicted},
		"not to be seen": {"Turn on the dark theme and turn Wi-Fi off.",
			rows(row{says: "Dark theme", checkable: true, on: true}), agentloop.Unverified},
		"a text that is there": {`Write a note with the title "Groceries".`,
			rows(row{says: "Groceries"}), agentloop.IsVerified},
		"a text that is only typed": {`Write a note with the title "Groceries".`,
			rows(row{says: "Groceries", field: true}), agentloop.Unverified},
		"a text that is missing": {`Send Tom «später mehr».`, rows(row{says: "mehr später"}),
			agentloop.Unverified},
		"a time whose alarm is off": {"Set an alarm for 7:30.",
			rows(row{says: "7:30", checkable: true}), agentloop.Unverified},
		"a time whose alarm is on": {"Set an alarm for 7:30.",
			rows(row{says: "7:30", checkable: true, on: true}, row{says: "8:15", checkable: true}),
			agentloop.IsVerified},
		"an amount":      {"Pay Anna $25.00", rows(row{says: "$25.00 sent"}), agentloop.IsVerified},
		"Chinese":        {"关闭蓝牙", rows(row{says: "蓝牙", checkable: true, on: true}), agentloop.Contradicted},
		"Chinese quotes": {"给汤姆发送“晚点到”", rows(row{says: "晚点到"}), agentloop.IsVerified},
		"nothing to see": {"Open the shop", rows(row{says: "Shop"}), agentloop.Unverified},
		"no elements":    {"Turn Wi-Fi off", nil, agentloop.Unverified},
		"a message that was not sent": {"Reply to +1555 1234567 with message: on my way.",
			rows(row{says: "+1555 1234567"}, row{says: "on my way", field: true}),
			agentloop.Unverified},
		"a message that was sent": {"给 13901234567 发短信，内容是：晚点到。",
			rows(row{says: "13901234567"}, row{says: "晚点到"}), agentloop.IsVerified},
		"what is to go and is there": {"Delete the alarm at 7:30.", rows(row{says: "7:30"}),
			agentloop.Unverified},
		"what is to go and is not to be seen": {"删除便签“购物”", rows(row{says: "想法"}),
			agentloop.Unverified},
		"one goes and one comes": {`Delete "Ideas" and write a note "Trip".`,
			rows(row{says: "Trip"}), agentloop.Unverified},
		"whom it is for alone": {"Send a message to +1555 1234567 with the clipboard content.",
			rows(row{says: "+1555 1234567"}), agentloop.Unverified},
		"who has written": {"把 13901234567 发来的地址转发给 13901234568",
			rows(row{says: "13901234567"}, row{says: "13901234568"}), agentloop.Unverified},
		"a part that names nothing": {"Turn on Wi-Fi, then open the Calendar app.",
			rows(row{says: "Wi-Fi", checkable: true, on: true}), agentloop.Unverified},
		"what is to be opened is a link": {`Open the page "Opening hours".`,
			rows(row{says: "Opening hours", link: true}), agentloop.Unverified},
		"what is to be opened is open": {`Open the page "Opening hours".`,
			rows(row{says: "Opening hours"}), agentloop.IsVerified},
		"two that are named so": {"Turn Wi-Fi off",
			rows(row{says: "Wi-Fi", checkable: true, on: true}, row{says: "Wi-Fi calling", checkable: true, on: true}),
			agentloop.Unverified},
	} {
		got, why := elements(c.task, c.list)
		require.Equal(t, c.want, got, "%s: %s", name, why)
		require.NotEmpty(t, why)
	}
}
