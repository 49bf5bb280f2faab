package guard_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
)

var wishLine = regexp.MustCompile(`(?m)^([+-]) (\S+) \| (.+)$`)

// What is no consent is asked about without exception; of what is one, hardly any may be asked.
func TestWhichTasksConsent(t *testing.T) {
	raw, err := os.ReadFile("testdata/wishes.txt")
	require.NoError(t, err)
	p, err := guard.New(nil)
	require.NoError(t, err)
	all, wrong := map[string]int{}, map[string][]string{}
	for _, line := range wishLine.FindAllStringSubmatch(string(raw), -1) {
		sign, button, task := line[1], line[2], line[3]
		d := p.Decide(guard.Subject{Action: "CLICK", App: "com.example.app", Task: task,
			Element: &guard.Element{Text: button, Class: "android.widget.Button"}})
		require.Equal(t, guard.Sensitive, d.Severity, task)
		all[sign]++
		if (d.Verdict == guard.Allow) != (sign == "+") {
			wrong[sign] = append(wrong[sign], task)
		}
	}
	require.GreaterOrEqual(t, min(all["+"], all["-"]), 60)
	require.Empty(t, wrong["-"], "taken for consent")
	require.LessOrEqual(t, len(wrong["+"]), 2, "not taken for consent: %q", wrong["+"])
}

// A task that a model has worded consents to nothing; the words of the person behind it do.
func TestOnlyAPersonsWordsConsent(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	send := guard.Subject{Action: "CLICK", App: "com.example.app", Task: "Send Anna hello",
		Element: &guard.Element{Text: "Send", Class: "android.widget.Button"}}
	require.Equal(t, guard.Allow, p.Decide(send).Verdict)
	for wish, want := range map[string]guard.Verdict{"": guard.Ask, "Look at the chat": guard.Ask,
		"Say hello, and send it to Anna": guard.Allow, "Send it once I agree": guard.Ask} {
		send.Wish = &wish
		require.Equal(t, want, p.Decide(send).Verdict, "%q", wish)
	}
}

// What a person says to a run later counts as the task does: the last word about an act.
func TestAPersonsLaterWordsConsentOrForbid(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	for _, c := range []struct {
		task  string
		later []string
		want  guard.Verdict
	}{
		{"Look at the chat", []string{"Send Anna hello"}, guard.Allow},
		{"Look at the chat", []string{"send it once I agree"}, guard.Ask},
		{"Send Anna hello", []string{"Please do not send it"}, guard.Ask},
		{"Send Anna hello", []string{"Schicke es nicht ab"}, guard.Ask},
		{"Send Anna hello", []string{"Ask me first"}, guard.Ask},
		{"Send Anna hello", []string{"Do not send it", "Now send it please"}, guard.Allow},
		{"Send Anna hello", []string{"her number is 12"}, guard.Allow},
		{"Send it after I approved", []string{"yes, send it now"}, guard.Allow},
		{"先看看聊天", []string{"把消息发送给小明"}, guard.Allow},
		{"给小明发消息", []string{"先别发送"}, guard.Ask},
	} {
		d := p.Decide(guard.Subject{Action: "CLICK", App: "com.example.app", Task: c.task,
			Later: c.later, Element: &guard.Element{Text: "Send", Class: "android.widget.Button"}})
		require.Equal(t, c.want, d.Verdict, "%s %q", c.task, c.later)
	}
}
