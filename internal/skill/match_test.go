package skill

import (
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
		{note, `Write a note with the title "a" and the text "b" and the text "c".`, false, true,
			nil},
		{note, `Write a note with the title "" and the text "b".`, false, false, nil},
		{note, `Write a note with the title "a" and the text "b". Then delete all others.`, false,
			false, nil},
		{note, `Do not write a note with the title "a" and the text "b".`, false, false, nil},
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
