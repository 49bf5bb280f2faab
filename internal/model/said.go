package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Lower-case words of servers for errors without a status.
var (
	tooLong = regexp.MustCompile(`context[ _](length|size|window)|maximum context|` +
		`too many tokens|(prompt|input|request) is too (long|large)|` +
		`longer than the maximum|max(imum)?[ _]model[ _]len`)
	noModel = regexp.MustCompile(`model.*(not[ _]found|does not exist)|` +
		`(unknown|no such|invalid) model`)
	noTools = text.Lazily(`(not|n't|without|endpoints found that) support(ing)?( native| for)?` +
		` ['"\x60]?(tools?([^\w\[.]|$)|tool (use|call)|` +
		`function[ _-]call)` + // Ollama, OpenRouter
		`|(?:^|['"\x60 ])(tools|tool (use|calling|calls)|function calling)['"\x60]? ` +
		`(is|are) (currently )?(not|disabled|unsupported)` + // Groq, Gemini
		`|--enable-auto-tool-choice|--tool-call-parser|` +
		`tools param requires` + // vLLM, llama.cpp
		`|(unsupported|unknown|unrecognized|unexpected|not permitted|extra)` +
		`[^"'\x60]{0,40}['"\x60: ]tools(['"\x60]|$)|` +
		`\["body", ?"tools"\]`) // what checks its parameters
	// words and codes of Azure, GLM, DeepSeek, DashScope
	filtered = text.Lazily(`content[ _-]?filter|content exists risk|` +
		`data_inspection_failed|inappropriate content|content management policy|` +
		`responsible ?ai|不安全或敏感|敏感内容`)
	noRegion = text.Lazily(`unsupported_country|(country|region|territory|location)` +
		`[^.]{0,40}not supported|(not (available|supported)|unavailable) in your ` +
		`(country|region)`)
	// a rate limit that no waiting ends
	noMoney = text.Lazily(`insufficient[_ ](quota|balance|funds|credits?)|` +
		`arrearage|credit balance|out of credits|余额不足|欠费`)
	noSight = regexp.MustCompile(`(image|vision|multimodal|mmproj).*(support|provide|missing)|` +
		`(support|missing).*(image|vision|multimodal)`)
)

// sightless reports whether an endpoint's words say that the model takes no pictures.
func sightless(said string) bool { return noSight.MatchString(strings.ToLower(said)) }

// told is what a body that is no chat completion says, with the code and the parameter of its error
// object.
func told(body []byte, scrub text.Mask) (message, code, param string) {
	var said struct {
		Error struct{ Code, Param, Type any }
	}
	_ = json.Unmarshal(body, &said)
	code, _ = cmp.Or(said.Error.Code, said.Error.Type).(string)
	param, _ = said.Error.Param.(string)
	return summary(body, scrub), code, param
}

// summary says in a line what a body that is no chat completion says.
func summary(body []byte, scrub text.Mask) string {
	body = unlisted(body)
	if raw := reported(body); raw != nil {
		return said(raw)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return "an empty reply"
	}
	if looksHTML(body) {
		return page(body, scrub)
	}
	return "this: " + shortened(scrub, string(body), 200)
}

// reported is what an endpoint says in place of a completion, or nil.
func reported(body []byte) json.RawMessage {
	var odd struct {
		Error, Errors, Message, Msg, Detail json.RawMessage
		Base                                json.RawMessage `json:"base_resp"`
	}
	_ = json.Unmarshal(body, &odd) // only an object says something
	return firstOf(odd.Error, odd.Errors, odd.Message, odd.Msg, odd.Detail, odd.Base)
}

// firstOf is the first value that is there, or nil.
func firstOf(values ...json.RawMessage) json.RawMessage {
	for _, raw := range values {
		if present(raw) {
			return raw
		}
	}
	return nil
}

// said is a JSON string's text, an object's message or messages, or the JSON itself.
func said(raw json.RawMessage) string {
	m := membersOf(raw)
	words := firstOf(m["message"], m["msg"], m["status_msg"], raw)
	var many []string
	if json.Unmarshal(words, &many) == nil {
		return strings.Join(many, ", ")
	}
	return plain(words)
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func looksHTML(body []byte) bool {
	return strings.HasPrefix(http.DetectContentType(body), "text/html")
}

var heading = regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>(.*?)</`)

func page(body []byte, scrub text.Mask) string {
	if m := heading.FindSubmatch(body[:min(len(body), 64<<10)]); m != nil {
		if title := shortened(scrub, html.UnescapeString(string(m[1])), 120); title != "" {
			return fmt.Sprintf("a web page titled %q", title)
		}
	}
	return "a web page"
}

// shortened makes foreign text fit for an error. The key is looked for after hidden characters are
// gone, which may have cut it in two, and before the text is shortened: half a key would not be
// found any more.
func shortened(scrub text.Mask, s string, n int) string {
	return text.Cut(scrub.Text(text.Line(s)), n)
}

// unlisted is a body, or the first value of a list: Gemini's endpoint packs its error into one.
func unlisted(body []byte) []byte {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		return list[0]
	}
	return body
}

// members are those of a JSON object.
type members map[string]json.RawMessage

// membersOf returns the members of an object, nil for anything else.
func membersOf(raw json.RawMessage) (m members) {
	_ = json.Unmarshal(raw, &m)
	return m
}

// plain is a JSON text, or any other value as it was written, as some write ids and arguments.
func plain(raw json.RawMessage) (s string) {
	if present(raw) && json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// countOf reads a number of tokens, also one with a fraction or in quotes. It returns 0 for
// anything else.
func countOf(raw json.RawMessage) int {
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return int(min(n, 1e12))
}

// textOf is a JSON text, the text of a part, the texts of a list of them, or "" for anything else.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		parts = []json.RawMessage{raw}
	}
	var b strings.Builder
	for _, p := range parts {
		var words string
		_ = json.Unmarshal(firstOf(membersOf(p)["text"], p), &words)
		b.WriteString(words)
	}
	return b.String()
}
