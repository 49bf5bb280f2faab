package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// What chat programs ask a model by themselves begins no session: it would press HOME, or do again
// what the conversation is about.
func TestWhatAChatProgramAsksByItselfIsNoTask(t *testing.T) {
	const user, assistant = "Send Tom the message 'I am late'", "sent"
	for name, body := range map[string]string{
		"a title": `{"messages":[{"role":"user","content":"### Task:\nGive the chat a title.\n` +
			`<chat_history>\nUSER: ` + user + `\nASSISTANT: ` + assistant + `\n</chat_history>"}]}`,
		"tags without a tag": `{"messages":[{"role":"user","content":"Which tags fit?\n\nUser: ` +
			user + `\nAssistant: ` + assistant + `"}]}`,
		"a completion": `{"messages":[{"role":"user","content":"### Task:\nComplete the text.\n` +
			`<text>Send Tom</text>"}]}`,
		"in Markdown": `{"messages":[{"role":"user","content":"Summarize.\n**Human**: ` + user +
			`\n\n**AI**: ` + assistant + `"}]}`,
		"in Chinese": `{"messages":[{"role":"user","content":"生成标题\n用户：发消息\n助手：已发送"}]}`,
		"as JSON": `{"messages":[{"role":"system","content":"A title of ten words."},{"role":"user",` +
			`"content":"[{\"role\":\"user\",\"mainText\":\"Send it\"}]"}]}`,
		"JSON behind words": `{"messages":[{"role":"user","content":"Name this chat: ` +
			`[{\"role\":\"user\",\"content\":\"Send it\"}]"}]}`,
		"a check": `{"max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`,
		"odd members": `{"max_tokens":"1","response_format":"x","max_completion_tokens":2,"messages":` +
			`[{"role":"user","content":"ping"}]}`,
		"another check": `{"max_completion_tokens":5,"messages":[{"role":"user","content":"ping"}]}`,
		"for a program": `{"response_format":{"type":"json_schema"},"messages":[{"role":"user",` +
			`"content":"Suggest a title"}]}`,
	} {
		for _, stream := range []string{"", `"stream":true,`} {
			g := newRig(t, nil)
			a := g.send("POST", "/v1/chat/completions", g.ann, "{"+stream+body[1:], nil)
			require.Equal(t, http.StatusBadRequest, a.status, "%s: %s", name, a.text)
			require.Contains(t, a.text, "no task of a person")
			require.Empty(t, g.tasks.calls, "%s begins nothing", name)
		}
	}
}

func TestWhatAPersonWritesIsATask(t *testing.T) {
	for _, words := range []string{"In Clock, set an alarm for 7:30", "user: anna, open her chat",
		"Reply to Tom: [yes]", "Send <b>hello</b> to AI: the group", "在 <微信> 里给助手：小王 发消息"} {
		g := newRig(t, nil)
		g.tasks.next = []outcome{stands("abcd", "COMPLETED", "", nil)}
		a := g.send("POST", "/v1/chat/completions", g.ann,
			`{"max_tokens":4096,"messages":[{"role":"user","content":"`+words+`"}]}`, nil)
		require.NotContains(t, a.text, "no task of a person", words)
		require.NotEmpty(t, g.tasks.calls, "%s: %s", words, a.text)
	}
}
