package web

import (
	"encoding/json"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// checkTokens is less than any answer takes. A request with a lower limit only looks whether the
// endpoint is there.
const checkTokens = 16

// maxTold is how many characters of a message say what is wanted of a model. What chat programs
// tell theirs in every conversation is longer.
const maxTold = 800

// programs says why a request is one that a chat program makes by itself, about a conversation and
// not in it: a title, tags, follow-up questions, a summary, a check of the connection. They want
// the reply in a format for programs, leave no room for one, quote a conversation, or say what is
// to be written of it and nothing else. It returns "" for any other request; where a session is
// named, only the last counts.
func (c *conversation) programs() string {
	for i, m := range c.Messages {
		told := text.Cut(string(m.Content), maxTold)
		if (i == len(c.Messages)-1 || m.Role == "system" || m.Role == "developer") &&
			written().MatchString(told) && ofChats().MatchString(told) &&
			nothingElse().MatchString(told) {
			return "it wants a title, a summary or the like of a conversation"
		}
	}
	var format struct{ Type string }
	switch {
	case c.session != "":
		return ""
	case json.Unmarshal(c.ResponseFormat, &format) == nil &&
		strings.HasPrefix(format.Type, "json"):
		return "it wants the answer as JSON for a program"
	case quotesConversation(c.words):
		return "it quotes a conversation"
	}
	for _, raw := range []json.RawMessage{c.MaxTokens, c.MaxCompletionTokens} {
		var limit float64
		if json.Unmarshal(raw, &limit) == nil && limit > 0 && limit < checkTokens {
			return "it leaves no room for an answer, as a check of the connection does"
		}
	}
	return ""
}

var (
	// below the heading of a program, in a tag of its own, in quotes of code, or around a hole
	enclosed = text.Lazily(`(?is)\A\s*#+ *task: *\n|<(chat_?history|chat|conversation|messages|` +
		`history|transcript|dialogue)\b[^>]*>.*</|[:：]\s*"""|<\|?fim_\w+\|?>|\{\{fill_here\}\}|` +
		`\ndiff --git `)
	// the name of a side in front of its turn
	turns = text.Lazily(`(?im)^[\s>|*#-]*(user|human|用户|人类|assistant|ai|bot|model|助手|助理|` +
		`query|response)\**\s*[:：]`)
	// what is to be written, of what, and that it is to be nothing else
	written = text.Lazily(`(?is)\b(generate|create|write|give|make|provide|suggest|summari[sz]e)` +
		`\b.{0,120}?\b(title|topic|tag|follow-?up|question|quer|summar|emoji|version|keyword)|` +
		`\btitle\b.{0,40}\bsumm|\btranslat|翻译|` +
		`(生成|总结|概括|起|给出|建议).{0,40}?(标题|主题|标签|问题|摘要|关键词)`)
	ofChats = text.Lazily(`(?i)\b(this|the|our|following|above|entire) (chat|conversation|dialog|` +
		`session|discussion|thread|history|prompt)|\btranslat|翻译|` +
		`(这段|以上|上述|我们的|本次)(对话|会话|聊天)`)
	nothingElse = text.Lazily(`(?i)\b(return|reply|respond|output|answer)( with)? (only|just|` +
		`nothing)|\b(only|just) (return|reply|respond|output|answer)|\bwithout any |` +
		`\bno (additional|other|extra|further|explanation|punctuation|quot)|` +
		`只(返回|输出)|仅(返回|输出)|直接返回|不要解释`)
)

// quotesConversation reports whether words quote turns of a conversation.
func quotesConversation(words string) bool {
	if enclosed().MatchString(words) || len(turns().FindAllStringIndex(words, 2)) > 1 {
		return true
	}
	for at := range words {
		if words[at] == '[' && listsTurns(words[at:]) {
			return true
		}
	}
	return false
}

// listsTurns reports whether a text begins with a JSON list of messages with roles.
func listsTurns(text string) bool {
	var turns []struct{ Role string }
	d := json.NewDecoder(strings.NewReader(text))
	return d.Decode(&turns) == nil && len(turns) > 0 && turns[0].Role != ""
}
