package web

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// checkTokens is less than any answer takes. A request with a lower limit only looks whether the
// endpoint is there.
const checkTokens = 16

// programs says why a request is one that a chat program makes by itself, about a conversation and
// not in it: a title, tags, follow-up questions, a summary, a check of the connection. Their
// structure tells them from tasks: they quote a conversation with the turns of both sides, want the
// reply in a format for programs, or leave no room for one. It returns "" for any other request,
// and for one that names its session.
func (c *conversation) programs() string {
	if c.session != "" {
		return ""
	}
	for _, raw := range []json.RawMessage{c.MaxTokens, c.MaxCompletionTokens} {
		var limit float64
		if json.Unmarshal(raw, &limit) == nil && limit > 0 && limit < checkTokens {
			return "it leaves no room for an answer, as a check of the connection does"
		}
	}
	var format struct{ Type string }
	if json.Unmarshal(c.ResponseFormat, &format) == nil && strings.HasPrefix(format.Type, "json") {
		return "it wants the answer as JSON for a program"
	}
	if quotesConversation(c.words) {
		return "it quotes a conversation"
	}
	return ""
}

// How a conversation is quoted: in a tag of its own, below the heading of a program, or with each
// turn behind the name of its side.
var (
	conversationTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?is)<(chat_history|chat|conversation|messages|history|transcript|` +
				`dialogue)\b[^>]*>.*</|\A\s*#+ *task: *\n`)
	})
	sideOfUser = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?im)^[\s>*#-]*\**(user|human|用户|人类)\**\s*[:：]`)
	})
	sideOfAssistant = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?im)^[\s>*#-]*\**(assistant|ai|bot|model|助手|助理)\**\s*[:：]`)
	})
)

// quotesConversation reports whether words quote the turns of both sides of a conversation.
func quotesConversation(words string) bool {
	if conversationTag().MatchString(words) ||
		sideOfUser().MatchString(words) && sideOfAssistant().MatchString(words) {
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
