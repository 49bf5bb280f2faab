package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
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

// typing is a run that has typed the task on a screen that shows nothing of it.
func typing(task string) []agentloop.Step {
	return []agentloop.Step{{Proposal: agentloop.Proposal{Elements: rows(row{says: "-"}),
		Decision: actions.Decision{Action: actions.Type{Text: task}}}}}
}

func TestAnEndIsHeldAgainstWhatTheScreenLists(t *testing.T) {
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
		"an amount": {"Pay Anna $25.00", rows(row{says: "$25.00 sent"}), agentloop.IsVerified},
		"Chinese":   {"关闭蓝牙", rows(row{says: "蓝牙", checkable: true, on: true}), agentloop.Contradicted},
		"Chinese quotes": {"给汤姆发送“晚点到”", rows(row{says: "汤姆"}, row{says: "晚点到"}),
			agentloop.IsVerified},
		"Chinese, to another": {"给汤姆发送“晚点到”", rows(row{says: "安娜"}, row{says: "晚点到"}),
			agentloop.Unverified},
		"to whom it was": {`Send Tom the message "later".`, rows(row{says: "Tom"}, row{says: "later"}),
			agentloop.IsVerified},
		"to another": {`Send Tom the message "later".`, rows(row{says: "Anna Berg"}, row{says: "later"}),
			agentloop.Unverified},
		"on another day": {`Send an invitation "Tea" for December 5.`,
			rows(row{says: "Sunday, November 29"}, row{says: "Tea"}), agentloop.Unverified},
		"on that day": {`Send an invitation "Tea" for December 5.`,
			rows(row{says: "Saturday, December 5"}, row{says: "Tea"}), agentloop.IsVerified},
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
		"one that is named so and more": {"Turn Wi-Fi off", rows(row{says: "Wi-Fi calling", checkable: true, on: true}),
			agentloop.Unverified},
		"one that is named so and less": {"Turn mobile data roaming off",
			rows(row{says: "Mobile data", checkable: true, on: true}), agentloop.Unverified},
		"one of two that is named so": {"Turn Wi-Fi off",
			rows(row{says: "Wi-Fi", checkable: true, on: true}, row{says: "Wi-Fi calling", checkable: true, on: true}),
			agentloop.Contradicted},
		"two that are named so": {"Turn Wi-Fi off",
			rows(row{says: "Wi-Fi", checkable: true, on: true}, row{says: "Wi-Fi", checkable: true, on: true}),
			agentloop.Unverified},
	} {
		got, why := elements(c.task, typing(c.task), c.list)
		require.Equal(t, c.want, got, "%s: %s", name, why)
		require.NotEmpty(t, why)
	}
}

// What a task wants besides what it names by words of the screen was seen by nothing.
func TestAWishThatNoScreenWasAskedForIsNotVerified(t *testing.T) {
	list := rows(row{says: "Wi-Fi", checkable: true}, row{says: "Mobile data", checkable: true, on: true},
		row{says: "Picnic"}, row{says: "Anna Berg"}, row{says: "Hi"}, row{says: "Alpha"}, row{says: "Beta"},
		row{says: "milk"}, row{says: "bread"}, row{says: "购物"}, row{says: "7:30"})
	plain := []string{"Turn off Wi-Fi.", `Add an event "Picnic" to the calendar.`, `Send Anna Berg the message "Hi".`,
		`Write the note "Alpha" with the text "Beta".`, `请新建便签“购物”。`, `Put "Picnic" into the calendar`,
		"Set an alarm for 7:30 in the morning.", "设置早上 7:30 的闹钟"}
	for _, task := range plain {
		got, why := elements(task, typing(task), list)
		require.Equal(t, agentloop.IsVerified, got, "%s: %s", task, why)
	}
	for _, task := range []string{"Turn off Wi-Fi and mobile data.", `Add an event "Picnic" tomorrow.`,
		`Add an event "Picnic" at noon.`, `Add an event "Picnic" that repeats weekly.`, `Send my boss the message "Hi".`,
		`Send Anna Berg "Hi" with the photo of the cat.`, `Write the note "Alpha" in red letters.`,
		`Turn Wi-Fi off and forget the saved networks.`, `Write the note "Alpha" in which "Beta" stands, and mark it.`,
		`Write a note "Alpha" with "milk" as the first line and "bread" as the second.`, `明天新建便签“购物”。`,
		`新建便签“购物”，用红色。`, `Envíale "Hi" a mi jefe`, `Schreibe "Alpha" bis morgen`,
		"Set an alarm for 7:30 in the evening.", `Add an event "Picnic" tomorrow at 6 pm.`,
		`Add an event "Picnic" for next week.`, `Add an event "Picnic" that lasts two hours.`,
		`Add an event "Picnic" and set an alarm.`, `Add the contact "Anna Berg" with the address greta@x.org.`,
		`Add the contact "Anna Berg" and call her.`, `Add the contact "Anna Berg" as my emergency contact.`,
		`Write a note with the title "Picnic" and send it to Tom.`, `Copy the text of Ideas into a note "Picnic".`,
		`Write the note "Picnic" with the prices of the Shop.`, `Send Anna Berg "Hi" twice.`,
		`Send Tom "Hi" and Anna Berg "Hi".`, `Rename the note "Ideas" to "Alpha".`, "Turn Wi-Fi and Bluetooth off.",
		"Turn Wi-Fi off on the tablet as well.", "Turn Wi-Fi off for everything but the printer.",
		"Switch Wi-Fi off and set brightness to 50%.", "Turn Wi-Fi off tomorrow at 8.", "设置晚上 7:30 的闹钟"} {
		got, why := elements(task, typing(task), list)
		assert.Equal(t, agentloop.Unverified, got, "%s: %s", task, why)
	}
}

// A time is the same in 12 hours and in 24, and another one in the other half of the day.
func TestATimeIsOfAHalfOfTheDay(t *testing.T) {
	for _, c := range []struct {
		task string
		says []string
		want agentloop.Verified
	}{
		{"Set an alarm for 7:30 in the morning.", []string{"7:30 AM"}, agentloop.IsVerified},
		{"Set an alarm for 7:30 in the morning.", []string{"07:30"}, agentloop.IsVerified},
		{"Set an alarm for 7:30 in the morning.", []string{"7:30 PM"}, agentloop.Unverified},
		{"Set an alarm for 7:30 in the morning.", []string{"7:30 p.m."}, agentloop.Unverified},
		{"Set an alarm for 7:30 in the morning.", []string{"7:30", "PM"}, agentloop.Unverified},
		{"Set an alarm for 7:30 in the morning.", []string{"7:30", "AM"}, agentloop.IsVerified},
		{"Set an alarm for 7:30 in the morning.", []string{"19:30"}, agentloop.Unverified},
		{"Set an alarm for 7:30 in the morning.", []string{"下午7:30"}, agentloop.Unverified},
		{"In the morning, set an alarm for 7:30.", []string{"7:30 PM"}, agentloop.Unverified},
		{"Set an alarm for 7:30.", []string{"7:30 PM"}, agentloop.Unverified},
		{"Set an alarm for 7:30.", []string{"7:30\u202fAM"}, agentloop.IsVerified},
		{"Set an alarm for 7:30 in the evening.", []string{"7:30 PM"}, agentloop.IsVerified},
		{"Set an alarm for 7:30 in the evening.", []string{"19:30"}, agentloop.IsVerified},
		{"Set an alarm for 7:30 in the evening.", []string{"7:30 AM"}, agentloop.Unverified},
		{"Set an alarm for 9:05 at night.", []string{"21:05"}, agentloop.IsVerified},
		{"Set an alarm for 2:05 at night.", []string{"2:05"}, agentloop.IsVerified},
		{"Set an alarm for 12:15 am.", []string{"00:15"}, agentloop.IsVerified},
		{"Set an alarm for 12:15 am.", []string{"12:15"}, agentloop.Unverified},
		{"Set an alarm for 12:15 pm.", []string{"12:15"}, agentloop.IsVerified},
		{"Set an alarm for 19:30.", []string{"7:30 PM"}, agentloop.IsVerified},
		{"Set an alarm for 19:30.", []string{"7:30 AM"}, agentloop.Unverified},
		{"设置早上 7:30 的闹钟", []string{"上午7:30"}, agentloop.IsVerified},
		{"设置早上 7:30 的闹钟", []string{"下午 7:30"}, agentloop.Unverified},
		{"设置早上 7:30 的闹钟", []string{"晚上7:30"}, agentloop.Unverified},
		{"设置下午 7:30 的闹钟", []string{"19:30"}, agentloop.IsVerified},
		{"设置下午 7:30 的闹钟", []string{"7:30"}, agentloop.Unverified},
		{"设置 7:30 的闹钟", []string{"下午7:30"}, agentloop.Unverified},
		{`Write the note "Call" with the time 4:30 pm.`, []string{"Call", "16:30"}, agentloop.IsVerified},
	} {
		var list []row
		for _, says := range c.says {
			list = append(list, row{says: says})
		}
		got, why := elements(c.task, typing(c.task), rows(list...))
		assert.Equal(t, c.want, got, "%s %q: %s", c.task, c.says, why)
	}
}

// What is entered key by key in 12 hours is the time in 24.
func TestATimeIsEnteredInTwelveHours(t *testing.T) {
	keys := rows(row{says: "07", link: true}, row{says: "30", link: true}, row{says: "PM", link: true})
	for task, want := range map[string]agentloop.Verified{"Set an alarm for 7:30 pm.": agentloop.IsVerified,
		"Set an alarm for 19:30.": agentloop.IsVerified, "Set an alarm for 20:30.": agentloop.Unverified} {
		got, why := elements(task, []agentloop.Step{tapped(keys, 0), tapped(keys, 1), tapped(keys, 2)},
			rows(row{says: "7:30 PM"}, row{says: "8:30 PM"}))
		require.Equal(t, want, got, "%s: %s", task, why)
	}
}

// A text belongs to the field that it was typed into, whichever had the keyboard before.
func TestATextIsOfTheFieldThatItWasTypedInto(t *testing.T) {
	form := rows(row{says: "", field: true}, row{says: "", field: true})
	form[0].ResourceID, form[0].Focused, form[1].ResourceID = "app:id/title", true, "app:id/body"
	end := rows(row{says: "Something"}, row{says: "Alpha"})
	for n, want := range map[int]agentloop.Verified{0: agentloop.IsVerified, 1: agentloop.Unverified} {
		at := form[n].Bounds.Center()
		got, why := elements(`Write a note with the title "Alpha".`,
			[]agentloop.Step{on(form, actions.Type{Text: "Alpha", At: &at})}, end)
		require.Equal(t, want, got, why)
	}
}

// What a task forbids, offers, makes depend on something or wants for a time contradicts nothing,
// and is not verified, whatever the switches are.
func TestATaskThatIsNotPlainIsNotDecidedByRule(t *testing.T) {
	tasks := []string{
		"Do not turn Wi-Fi off.", "Don't turn Wi-Fi off", "Never switch Wi-Fi off", "不要关闭Wi-Fi",
		"别打开Wi-Fi", "请勿关闭Wi-Fi", "Avoid switching things: turn Wi-Fi off", "Turn Wi-Fi off and on again.",
		"Turn off Wi-Fi, wait five seconds, then turn it on.", "先关闭Wi-Fi,再打开Wi-Fi。",
		"关闭Wi-Fi十秒钟", "Turn airplane mode on for ten seconds and then off",
		"Turn on Wi-Fi and turn off mobile data, then turn mobile data on again",
		"Turn Wi-Fi on or leave it off", "Turn off everything except Wi-Fi.",
		"If it rains, turn Wi-Fi off", "如果下雨，关闭Wi-Fi", "打开或关闭Wi-Fi", "Turn Wi-Fi off unless it is off",
		"Turn Wi-Fi on, and mobile data off", "Turn Wi-Fi on in the Shop", "在商店里打开Wi-Fi",
		"Turn on Wi-Fi in the Shop", "Turn Wi-Fi off until noon", "Turn both Wi-Fi and mobile data off",
		"Schalte Wi-Fi nicht aus, turn Wi-Fi off nicht", "Toggle Wi-Fi", "Turn off Wi-Fi instead of mobile data",
		`Do not send "Wi-Fi"`, `Send "Wi-Fi" or "mobile data"`, "别发送“Wi-Fi”",
	}
	for n := range 8 {
		list := rows(row{says: "Wi-Fi", checkable: true, on: n&1 > 0},
			row{says: "Mobile data", checkable: true, on: n&2 > 0},
			row{says: "Airplane mode", checkable: true, on: n&4 > 0})
		for _, task := range tasks {
			got, why := elements(task, typing(task), list)
			require.Equal(t, agentloop.Unverified, got, "%s (%b): %s", task, n, why)
		}
		want := agentloop.Contradicted
		if n&3 == 1 {
			want = agentloop.IsVerified
		}
		for _, task := range []string{"Turn Wi-Fi on and turn mobile data off.",
			"Please switch on the Wi-Fi, then disable mobile data", "In Settings, turn Wi-Fi on, turn off mobile data"} {
			got, why := elements(task, typing(task), list)
			require.Equal(t, want, got, "%s (%b): %s", task, n, why)
		}
	}
}

// What was typed is verified only where each thing that the task names is there as a whole, and in
// its place.
func TestWhatOnlyNearlyFitsIsNotVerified(t *testing.T) {
	const note = `Write a note with the title "Bill" and the text "buy milk".`
	for _, c := range []struct {
		task string
		says []string
		want agentloop.Verified
	}{
		{note, []string{"Bill", "buy milk"}, agentloop.IsVerified},
		{note, []string{"Bill", "2026-03-02\nbuy milk"}, agentloop.IsVerified},
		{note, []string{"buy milk", "Bill"}, agentloop.Unverified},
		{note, []string{"Bill", "do not buy milk"}, agentloop.Unverified},
		{note, []string{"Bill buy milk", "zzz"}, agentloop.Unverified},
		{"新建便签“购物”，内容是“牛奶”。", []string{"购物", "牛奶"}, agentloop.IsVerified},
		{"新建便签“购物”，内容是“牛奶”。", []string{"牛奶", "购物"}, agentloop.Unverified},
		{`Write two notes, "Bill" and "Milk".`, []string{"Bill", "Milk"}, agentloop.Unverified},
		{`Write 2 notes, "Bill" and "Milk".`, []string{"Bill", "Milk"}, agentloop.Unverified},
		{"Write a note: pay at 7:30 pm", []string{"pay at 7:30 am"}, agentloop.Unverified},
		{"Set an alarm for 7:30 pm.", []string{"7:30 am"}, agentloop.Unverified},
		{"Set an alarm for 7:30 p.m.", []string{"7:30"}, agentloop.Unverified},
		{"Set an alarm for 7:30 pm.", []string{"7:30 PM"}, agentloop.IsVerified},
		{`Write a note "Sum" with the amount $1,234.50.`, []string{"Sum", "$1,234.50"}, agentloop.IsVerified},
		{`Write a note "Sum" with the text $1,234.50.`, []string{"Sum", "$1,234.50"}, agentloop.IsVerified},
		{"Pay $20 at 7:30 pm", []string{"$20 at 7:30 am"}, agentloop.Unverified},
	} {
		var list []row
		for _, says := range c.says {
			list = append(list, row{says: says})
		}
		got, why := elements(c.task, typing(c.task), rows(list...))
		require.Equal(t, c.want, got, "%s %q: %s", c.task, c.says, why)
	}
}

// A run that did something near the task, and claims it all: none of it is verified. What was done
// is never contradicted.
func TestWhatWasDoneInPartIsNotVerified(t *testing.T) {
	both := func(says ...string) [2][]string { return [2][]string{says, says} }
	for task, c := range map[string][2][]string{ // typed, and shown
		`Write a note with the title "Eggs" and the text "milk, eggs".`:                     both("Eggs", "milk, eggs, ham"),
		`Write a note with the title "Milk" and the text "Eggs".`:                           both("Eggs", "Milk"),
		`Write a note titled "Rome trip" that says "Train at 9:40".`:                        both("Rome trip", "Train at 19:40"),
		`Note down 250 dollars under the title "Budget".`:                                   both("Budget", "1250 dollars"),
		`Add the contact "Greta Holm" with the number 5550199.`:                             both("Greta Holm", "5550198"),
		`Add the contact "Greta Holm" with the number 5550199 as work.`:                     both("Greta Holm", "5550199", "Mobile"),
		`Add the contact "Holm Greta".`:                                                     both("Greta Holm"),
		`Send Anna Berg "See you at 8".`:                                                    both("Anna Berg", "See you at 8:30"),
		`Add "Picnic" at "City park" to the calendar on November 30 at 18:00.`:              both("Picnic", "City park", "November 30", "19:00"),
		`Add "Picnic" at "City hall" to the calendar on November 30 at 18:00.`:              both("Picnic", "City park", "November 30", "18:00"),
		`Add "Picnic" to the calendar on Tuesday at 18:00.`:                                 both("Picnic", "Monday", "18:00"),
		`Add "Picnic" tomorrow at 6 pm.`:                                                    both("Picnic", "18:00"),
		`Rename the note "Ideas" to "Plans".`:                                               both("Plans"),
		`Replace the text of the note "Ideas" by "Nothing".`:                                {{"Nothing"}, {"Ideas", "Ideas Nothing"}},
		`Open the note "Packing list".`:                                                     {{"Ideas"}, {"Notes", "Ideas"}},
		`Put the price $79.00 into a note called "Shoes".`:                                  both("Shoes", "$179.00"),
		`Write the note "Call Anna" with the time 4:30 pm.`:                                 both("Call Anna", "4:30 am"),
		`Send Anna Berg the message "Paid 1,000".`:                                          both("Anna Berg", "Paid 1,00"),
		`Write the note "Alpha" in which "Beta" stands, and mark it.`:                       both("Alpha", "Beta"),
		`Create the note "Shopping" with "bread" as the first line and "milk" as the next.`: both("Shopping", "milk\nbread"),
		`Add an event "Picnic" on Tuesday.`:                                                 both("Picnic", "Sunday"),
		`Write a note with the title "Eggs" and no text.`:                                   both("Eggs", "a"),
		`Turn off the Wi-Fi in the evening: write a note "Wi-Fi off".`:                      both("Wi-Fi off"),
		`Add an event "Tea" on December 5 to the calendar.`:                                 both("Tea", "Sunday, November 29"),
	} {
		got, why := claimed(task, c)
		assert.Equal(t, agentloop.Unverified, got, "%s: %s", task, why)
	}
	for task, c := range map[string][2][]string{
		`Write a note with the title "Eggs" and the text "milk, eggs".`: both("Eggs", "milk, eggs"),
		`Write a note titled "Rome" that says "Train at 9:40".`:         both("Rome", "Train at 9:40"),
		`Note down 250 dollars under the title "Budget".`:               both("Budget", "250 dollars"),
		`Add the contact "Greta Holm" with the number 5550199.`:         {{"Greta", "Holm", "5550199"}, {"Greta Holm", "5550199"}},
		`Send Anna Berg "See you at 8".`:                                both("Anna Berg", "See you at 8"),
		`Write the note "Call" with the time 4:30 pm.`:                  both("Call", "16:30"),
		`Write a note "Sum" with the amount $1,234.50.`:                 both("Sum", "$1,234.50"),
		`Write a note with the title "Off" and the text "on".`:          both("Off", "on"),
		`Write the note "No milk" with "0 bottles, -5 degrees".`:        both("No milk", "0 bottles, -5 degrees"),
		`写一个标题为“牛奶”的笔记，内容是“鸡蛋”。`:                                        both("牛奶", "鸡蛋"),
		`Send Anna Berg "Turn off the light".`:                          both("Anna Berg", "Turn off the light"),
		`Set an alarm for 6 pm.`:                                        {{"6", "00", "PM"}, {"6:00 PM"}},
		`Add an event "Picnic" at 18:00 to the calendar.`:               {{"Picnic", "6:00 PM"}, {"Picnic", "6:00 PM"}},
	} {
		got, why := claimed(task, c)
		assert.Equal(t, agentloop.IsVerified, got, "%s: %s", task, why)
	}
}

// claimed is what a run comes to that typed these and ends on a screen that shows these.
func claimed(task string, c [2][]string) (agentloop.Verified, string) {
	var steps []agentloop.Step
	for _, typed := range c[0] {
		steps = append(steps, typing(typed)...)
	}
	var list []row
	for _, says := range c[1] {
		list = append(list, row{says: says})
	}
	return elements(task, steps, rows(list...))
}
