package skill

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/keys"
)

func needing(task string, names ...string) *Skill {
	properties, required := map[string]any{}, []any{}
	for _, n := range names {
		properties[n] = map[string]any{"type": "string", "minLength": 1}
		required = append(required, n)
	}
	return &Skill{Name: "x", Task: task, Params: keys.Any{Value: map[string]any{
		"type": "object", "properties": properties, "required": required}}}
}

func TestATaskIsReadByTheSkillThatDoesIt(t *testing.T) {
	note := needing(`Write a note with the title "{{title}}" and the text "{{text}}".`,
		"title", "text")
	send := needing("给{{who}}发短信：{{text}}", "who", "text")
	late := needing("Send {{who}} the message {{text}}", "who", "text")
	for _, c := range []struct {
		of         *Skill
		task       string
		sure, fits bool
		want       map[string]any
	}{
		{note, `write a note  with the title "Dr. Lee" and the text "9:30, bring card"`, true, true,
			map[string]any{"title": "Dr. Lee", "text": "9:30, bring card"}},
		{note, `Write a note with the title "a" and the text "b" and the text "c".`, false, false,
			nil},
		{note, `Write a note with the title "" and the text "b".`, false, false, nil},
		{note, `Write a note with the title "a" and the text "b". Then delete all others.`, false,
			false, nil},
		{note, `Do not write a note with the title "a" and the text "b".`, false, false, nil},
		{note, `Write a note with the title "a and b" and the text "Hi. Then go."`, true, true,
			map[string]any{"title": "a and b", "text": "Hi. Then go."}},
		{needing("Write “{{text}}” to {{who}}", "text", "who"), "Write “Parents' evening” to Tom", true,
			true, map[string]any{"text": "Parents' evening", "who": "Tom"}},
		{needing("Write '{{text}}'", "text"), "Write 'a' and 'b'", false, false, nil},
		{needing("Open {{app}}.", "app"), "Open the Clock, then the Shop.", false, true, nil},
		{needing("Call {{who}}", "who"), "Call Tom and Anna", false, true, nil},
		{send, "给小汤发短信：晚点到。", true, true, map[string]any{"who": "小汤", "text": "晚点到。"}},
		{late, "Send Tom the message I got the message too", false, true, nil},
		{late, "Send Tom the message see you", true, true,
			map[string]any{"who": "Tom", "text": "see you"}},
		{needing("Turn on Wi-Fi"), "turn on wi-fi.", true, true, map[string]any{}},
		{needing("Turn on Wi-Fi"), "Turn on Wi-Fi calling", false, false, nil},
		{needing("Write to {{who}}", "who", "text"), "Write to Tom", false, true, nil},
		{needing("Copy {{a}} to {{a}}", "a"), "Copy x to y", false, true, nil},
	} {
		values, sure, fits := c.of.Match(c.task)
		require.Equal(t, c.fits, fits, "%s", c.task)
		require.Equal(t, c.sure, sure, "%s: %v", c.task, values)
		if c.sure {
			require.Equal(t, c.want, values, "%s", c.task)
		}
	}
}

// A task that the skill does, with anything before or behind it, is another task.
func TestATaskThatSaysMoreIsAnotherTask(t *testing.T) {
	of := []*Skill{
		needing(`Send {{who}} the message "{{text}}".`, "who", "text"),
		needing(`Open the note "{{title}}".`, "title"), needing("给{{who}}发短信：“{{text}}”。", "who", "text"),
		needing("Send {{who}} the message {{text}}", "who", "text"), needing("Call {{who}}", "who"),
		needing("打电话给{{who}}", "who"), needing("{{app}} is to be opened.", "app"), needing("Turn on Wi-Fi."),
	}
	tasks := [][]string{
		{`Send Anna Berg the message "Hi".`, `Send Tom the message "See you, and bring milk. Then call."`},
		{`Open the note "Packing list".`, `Open the note "Ideas"`}, {"给安娜发短信：“晚点到”。"},
		{"Send Tom the message see you"}, {"Call Anna Berg"}, {"打电话给安娜"}, {"Clock is to be opened."},
		{"Turn on Wi-Fi."},
	}
	more := []string{`like the last message of "Tom"`, `open the note "Ideas"`, "turn Wi-Fi off", "打开设置",
		`"Tom"`, "send Anna the message see you", "stop"}
	for n, s := range of {
		for _, task := range tasks[n] {
			_, sure, _ := s.Match(task)
			require.True(t, sure, task)
			bare := strings.TrimRight(task, ".。")
			for _, x := range more {
				var all []string
				for _, by := range []string{". ", ". Then ", " and ", ", then ", ", ", "; ", "! ", "? ", "\n",
					" but first ", " or ", "。", "，然后", "；再", " 并", "并且", " also ", " after that ", " (", " – "} {
					all = append(all, bare+by+x, x+by+task, bare+by+x+".")
				}
				if bare != task {
					all = append(all, task+" "+x)
				}
				for _, other := range append(all, task+"\n"+x, task+" Then "+x, bare+" as well as "+x) {
					values, sure, _ := s.Match(other)
					require.False(t, sure, "%s: %v", other, values)
				}
			}
		}
	}
}
