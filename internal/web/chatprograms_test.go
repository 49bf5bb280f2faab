package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
		"JSON with more beside the roles": `{"messages":[{"role":"user","content":"Name it: ` +
			`[ {\"n\": 1, \"content\": \"{\\\"Send\\\"}\", \"role\": \"user\"}]"}]}`,
		"JSON with parts": `{"messages":[{"role":"user","content":"Name it: ` +
			`[{\"content\":[{\"type\":\"text\",\"text\":\"a [b\"}],\"of\":{\"n\":1},\"role\":\"user\"}]"}]}`,
		"a check": `{"max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`,
		"odd members": `{"max_tokens":"1","response_format":"x","max_completion_tokens":2,"messages":` +
			`[{"role":"user","content":"ping"}]}`,
		"another check": `{"max_completion_tokens":5,"messages":[{"role":"user","content":"ping"}]}`,
		"behind bars": `{"messages":[{"role":"user","content":"A short title.\n\n||>User:\n\"` +
			user + `\"\n||>Response:\n\"` + assistant + `\""}]}`,
		"a tag in one word": `{"messages":[{"role":"user","content":"Put the last one on its own.` +
			`\n<chatHistory>\n` + user + `\n</chatHistory>"}]}`,
		"told by the system": `{"messages":[{"role":"system","content":"You name things. Make a ` +
			`title for the conversation, and output only that."},{"role":"user","content":"` + user +
			`"}]}`,
		"a title of some words": `{"messages":[{"role":"user","content":"Give me a title of three to ` +
			`four words for this chat. No additional text.\n\nI have sent it to Tom."}]}`,
		"an end of the chat": `{"messages":[{"role":"user","content":"` + user + `"},{"role":` +
			`"assistant","content":"[//]: # (taploop abcdefgh)\n\nsent"},{"role":"user","content":` +
			`"Please generate a title that sums up our conversation, without any punctuation."}]}`,
		"the same in Chinese": `{"messages":[{"role":"user","content":"` + user + `"},{"role":` +
			`"assistant","content":"[//]: # (taploop abcdefgh)\n\nsent"},{"role":"user","content":` +
			`"请为这段对话生成一个标题，直接返回，不要解释"}]}`,
		"a summary so far": `{"messages":[{"role":"user","content":"Create a full summary of the ` +
			`conversation so far. Respond with only the summary."}]}`,
		"a better prompt": `{"messages":[{"role":"user","content":"Write an improved version of ` +
			`this prompt (answer with only that):\n\n` + user + `"}]}`,
		"a hole": `{"messages":[{"role":"user","content":"<|fim_prefix|>Send Tom <|fim_suffix|>` +
			`<|fim_middle|>"}]}`,
		"another hole": `{"messages":[{"role":"user","content":"Fill it.\n<QUERY>\nsend({{FILL_HERE}})` +
			`\n</QUERY>"}]}`,
		"a commit": `{"messages":[{"role":"user","content":"What changed?\n\ndiff --git a/x b/x"}]}`,
		"an emoji": `{"messages":[{"role":"user","content":"Your task is to find an emoji that fits the ` +
			`mood of the speaker.\n\nMessage: \"\"\"` + user + `\"\"\""}]}`,
		"one of several": `{"messages":[{"role":"user","content":"Here are responses from several models ` +
			`to \"` + user + `\". Make one of them.\n\nsent"}]}`,
		"a choice of tools": `{"messages":[{"role":"system","content":"Tools: []\n\nYour task is to pick ` +
			`the tools that fit.\n- Return only JSON, no words."},{"role":"user","content":"` + user + `"}]}`,
		"a titling assistant": `{"messages":[{"role":"system","content":"You are an assistant for ` +
			`titling threads."},{"role":"user","content":"` + user + `"}]}`,
		"told what to make": `{"messages":[{"role":"system","content":"\n - write a short title for the ` +
			`message\n - output only the title"},{"role":"user","content":"` + user + `"}]}`,
		"a translator": `{"messages":[{"role":"system","content":"你是一名擅长翻译的助理"},` +
			`{"role":"user","content":"` + user + `"}]}`,
		"of a prompt behind a colon": `{"messages":[{"role":"user","content":"Write a title for the ` +
			`following prompt in 6 words at most: ` + user + `"}]}`,
		"of the chat": `{"messages":[{"role":"user","content":"Given this, reply with a title for the chat of ` +
			`3-4 words, about the content of the chat.\n\n` + user + `"}]}`,
		"room for a title": `{"max_tokens":16,"messages":[{"role":"user","content":"` + user + `"}]}`,
		"for a program": `{"response_format":{"type":"json_schema"},"messages":[{"role":"user",` +
			`"content":"Suggest a title"}]}`,
	} {
		for _, stream := range []string{"", `"stream":true,`} {
			g := newRig(t, nil)
			a := g.send("POST", "/v1/chat/completions", g.ann, "{"+stream+body[1:], nil)
			assert.Equal(t, http.StatusBadRequest, a.status, "%s: %s", name, a.text)
			assert.Contains(t, a.text, "no task of a person")
			assert.Empty(t, g.tasks.calls, "%s begins nothing", name)
		}
	}
}

// The reading of hostile words takes no longer than there are of them.
func TestManyListsInWordsAreReadOnce(t *testing.T) {
	g := newRig(t, nil)
	g.tasks.next = []outcome{stands("abcd", "COMPLETED", "", nil)}
	began := time.Now()
	g.send("POST", "/v1/chat/completions", g.ann, `{"max_tokens":4096,"messages":[{"role":"user",`+
		`"content":"`+strings.Repeat("[", 1<<18)+`"}]}`, nil)
	assert.Less(t, time.Since(began), 5*time.Second)
}

func quoted(t *testing.T, words string) string {
	b, err := json.Marshal(words)
	require.NoError(t, err)
	return string(b)
}

func TestWhatAPersonWritesIsATask(t *testing.T) {
	for _, words := range []string{"In Clock, set an alarm for 7:30", "user: anna, open her chat",
		"Reply to Tom: [yes]", "Write a note with the title 'Food' and only the text 'milk'",
		"Summarize the last messages of the chat with Tom", "Reply to Tom with only: ok",
		"Give a title of three words to my newest note", "Make a title for the group chat of three words",
		"In Notes, give the list the title Ideas and the tags home, garden",
		"Search the web for flights and tell me only the price", "user: anna\nlog in to the Shop",
		"Follow up with Anna: ask her which questions she has", "给这条笔记起一个标题，不要标点",
		"Translate Tom's last message and reply to him", "<task>\nOpen Clock\n</task>",
		"Open Google Translate and translate 'good morning' into French. Reply only with the translation.",
		"打开翻译应用，把“早上好”翻译成英文，只返回结果", "打开微信，总结以上聊天的摘要，只返回摘要",
		"Create a contact in Contacts:\nUser: anna\nModel: Pixel 8", "Log in:\nUser: anna\nQuery: cats",
		"Add a note: \"\"\"buy milk\"\"\"", "Send Tom:\nUser: anna\nUser: tom",
		"In Reddit, write a comment that answers the question of this thread; no additional posts",
		"Write an answer to the question in this chat; no additional messages",
		"Give this chat a title: Family. No other changes, reply only with ok",
		"Open the chat with Tom and give me a summary of the conversation. Reply only with the summary",
		"Give me a summary of the chat with Tom. Reply with only the summary",
		"Translate the following text to English: 你好", "把这段对话的标题改成家庭", "Say hello to Tom", "Hello Fresh",
		"Reply ok to Tom", "Test the alarm", "Rename the chat with Tom in Messages to 'Bike'", "Ping Tom", "说你好给小王",
		"In Messages, summarize the conversation with Tom in 3 sentences", "总结我和妈妈的聊天记录，50字以内",
		"Summarize the conversation with Tom in 5 words", "给李雷发消息：请总结以上内容，不要超过 50 字",
		"Read our chat with Anna and give me a short summary only", "Name the group chat in 1 word",
		"Create a playlist with the title 'Road', no other text", "Could you open the chat with Tom " +
			"and give me a summary of the conversation in 5 words?", "Write a summary of today's news in " +
			"three sentences", "Change the title of this chat to Family, no other text",
		"Answer Tom's question in the chat, in three words at most", "Send <b>hello</b> to AI: the group", "在 <微信> 里给助手：小王 发消息"} {
		g := newRig(t, nil)
		g.tasks.next = []outcome{stands("abcd", "COMPLETED", "", nil)}
		a := g.send("POST", "/v1/chat/completions", g.ann,
			`{"max_tokens":4096,"messages":[{"role":"user","content":`+quoted(t, words)+`}]}`, nil)
		assert.NotContains(t, a.text, "no task of a person", words)
		assert.NotEmpty(t, g.tasks.calls, "%s: %s", words, a.text)
	}
}

// A greeting, and what a program sends to look whether a model is there, begin no session. The
// conversation can go on with a task.
func TestAGreetingBeginsNothingAndIsAnswered(t *testing.T) {
	for _, words := range []string{"hi", "Hello!", "ping", "test", "Say 'OK'", "Respond with just the word OK",
		"你好", "在吗？", "Bonjour 👋", "Привет!", "who are you?", "1+1"} {
		for _, stream := range []string{"", `"stream":true,`} {
			g := newRig(t, nil)
			g.tasks.next = []outcome{stands("abcd", "COMPLETED", "", nil)}
			a := g.send("POST", "/v1/chat/completions", g.ann, `{`+stream+`"messages":[{"role":"user",`+
				`"content":`+quoted(t, words)+`}]}`, nil)
			require.Equal(t, http.StatusOK, a.status, "%s: %s", words, a.text)
			require.Regexp(t, "what is to be done|请说要做什么", a.text, words)
			require.Empty(t, g.tasks.calls, words)
			said := `[//]: # (taploop unbegun)\n\nHello.`
			a = g.send("POST", "/v1/chat/completions", g.ann, `{"messages":[{"role":"user","content":`+
				quoted(t, words)+`},{"role":"assistant","content":"`+said+`"},{"role":"user",`+
				`"content":"Set an alarm for 7:30"}]}`, nil)
			require.Equal(t, http.StatusOK, a.status, a.text)
			require.NotEmpty(t, g.tasks.calls, words)
		}
	}
}

// What a client tells the model in every conversation is no request of a program.
func TestWhatAClientTellsItsModelMakesNoTaskAProgramsRequest(t *testing.T) {
	title := "You name things. Make a title for the conversation, and output only that."
	for _, told := range []string{"Always translate results into German, reply only in German",
		"You are a phone's assistant. Give short summaries of this conversation, reply only in German",
		"Give a summary of this conversation below each reply; reply only in German"} {
		for session, told := range map[string]string{"": told, `"metadata":{"session_id":"abcd"},`: title} {
			g := newRig(t, nil)
			g.tasks.next = []outcome{stands("abcd", "COMPLETED", "", nil)}
			a := g.send("POST", "/v1/chat/completions", g.ann, `{`+session+`"messages":[{"role":"system",`+
				`"content":`+quoted(t, told)+`},{"role":"user","content":"Set an alarm for 7:30"}]}`, nil)
			assert.NotContains(t, a.text, "no task of a person", told)
			assert.Equal(t, session == "", len(g.tasks.calls) == 1, "%s: %s", told, a.text)
			assert.Equal(t, session != "", a.status == http.StatusNotFound, "%s: %s", told, a.text)
		}
	}
}
