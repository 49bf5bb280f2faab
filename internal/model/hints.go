package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"

	"github.com/taploop/taploop/internal/hint"
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

func (k *attempts) withHint(e *Error) error { return hint.Add(e, k.hint(e)) }

func (k *attempts) hint(e *Error) string {
	env := k.opts.Env
	if sightless(e.Message) && (e.Kind == BadReply || e.Kind == ServerFault) {
		return "set " + env + "NAME to a model that takes pictures"
	}
	switch e.Kind {
	case Unreachable:
		return k.hintReach(e)
	case TimedOut:
		return fmt.Sprintf(
			"raise %sTIMEOUT (now %s), or check that the endpoint is not still loading the model",
			env, k.opts.Timeout,
		)
	case Unauthorized:
		if k.opts.APIKey == "" {
			return "set " + env + "API_KEY"
		}
		return "check " + env + "API_KEY: the endpoint does not accept it"
	case NoSuchModel:
		if k.opts.ollama() {
			return "ollama pull " + k.opts.Name + ", or set " + env +
				"NAME to a model that is there"
		}
		return "set " + env + "NAME to a model that the endpoint has"
	case NoSuchPath, BadReply:
		return k.hintPath(e)
	case Withheld:
		return "the endpoint's content filter refused the screen or the task: word the task " +
			"otherwise, or use another endpoint or model"
	case RateLimited:
		if noMoney().MatchString(strings.ToLower(e.Message + " " + e.code)) {
			return "the account has nothing left: top it up, or use another endpoint"
		}
		return "wait, look at the account's limits, or use another endpoint or model"
	case TooLong:
		return "give the model a longer context (Ollama: OLLAMA_CONTEXT_LENGTH, vLLM: " +
			"--max-model-len), or send smaller pictures"
	case ServerFault:
		return "look at the endpoint's own log (" + env + "BASE_URL is " +
			text.Address(k.opts.BaseURL) +
			"), then try again"
	}
	return k.hintRejected(e)
}

// hintRejected is about a request that the endpoint refuses for its content.
func (k *attempts) hintRejected(e *Error) string {
	// Before sight: a model's own name may hold "vision".
	if e.NoTools() {
		return "set model.dialect to general, which needs no tools"
	}
	if e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooEarly {
		return "the endpoint was not ready: try again, or look at its own log"
	}
	if noRegion().MatchString(strings.ToLower(e.Message + " " + e.code)) {
		return "the endpoint does not serve this region: use another endpoint"
	}
	if sightless(e.Message) {
		return "set " + k.opts.Env + "NAME to a model that takes pictures"
	}
	if !isObject(k.body) {
		return k.hintPath(e)
	}
	group := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(k.opts.Env, "TAPLOOP_"), "_"))
	return "the endpoint's message names the parameter; `" + group + ".extra: {NAME: null}` in " +
		"the configuration file leaves it out, and `taploop config show` lists the model's"
}

func (k *attempts) hintReach(e *Error) string {
	var dns *net.DNSError
	switch {
	case errors.As(e, &dns):
		return "check the host's name in " + k.opts.Env + "BASE_URL"
	case errors.Is(e, http.ErrSchemeMismatch):
		return "the endpoint speaks plain http: set " + k.opts.Env + "BASE_URL to http://..."
	case strings.Contains(e.Message, "certificate"):
		return "have the endpoint's certificate authority trusted by this machine (or name it in " +
			"SSL_CERT_FILE)"
	case k.absent(e):
		return "set " + k.opts.Env + "BASE_URL and " + k.opts.Env +
			"NAME, or start Ollama: ollama serve"
	case errors.Is(e, syscall.ECONNREFUSED) && k.opts.ollama():
		return "is Ollama running? start it with: ollama serve"
	case errors.Is(e, syscall.ECONNREFUSED):
		return "start the model's server, or set " + k.opts.Env + "BASE_URL to where it listens"
	}
	return "check the network and " + k.opts.Env + "BASE_URL"
}

func (k *attempts) hintPath(e *Error) string {
	base := text.Address(k.opts.BaseURL)
	if to := k.header.Get("Location"); to != "" {
		return fmt.Sprintf("if that is the right place, set %sBASE_URL to it without %s",
			k.opts.Env, chatPath)
	}
	if !strings.Contains(base, "/v1") && (e.Kind == NoSuchPath || looksHTML(k.body)) {
		return fmt.Sprintf("set %sBASE_URL to %s/v1", k.opts.Env, base)
	}
	return fmt.Sprintf("check that %s is an OpenAI-compatible endpoint (%sBASE_URL)", base,
		k.opts.Env)
}

// ollama guesses whose hints to give from Ollama's port.
func (o *Options) ollama() bool { return strings.Contains(o.BaseURL, ":11434") }

// offer adds the models that are there to the hint of a NoSuchModel.
func offer(err error, names []string, env string) error {
	const most = 12
	if len(names) == 0 {
		return err
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	list := text.Cut(text.Line(strings.Join(names, ", ")), 400)
	return hint.Add(err, fmt.Sprintf("%s; the endpoint has: %s%s", hint.Of(err), list, more))
}

// summary says in a line what a body that is no chat completion says.
func (k *attempts) summary(body []byte) string {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil &&
		len(list) > 0 { // Gemini's endpoint packs its error into a list
		body = list[0]
	}
	if raw := reported(body); raw != nil {
		return said(raw)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return "an empty reply"
	}
	if looksHTML(body) {
		return k.page(body)
	}
	return "this: " + k.short(string(body), 200)
}

// reported is what an endpoint says in place of a completion, or nil.
func reported(body []byte) json.RawMessage {
	var odd struct {
		Error, Errors, Message, Msg, Detail json.RawMessage
		Base                                json.RawMessage `json:"base_resp"`
	}
	_ = json.Unmarshal(body, &odd) // what is no object says nothing
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

func (k *attempts) page(body []byte) string {
	if m := heading.FindSubmatch(body[:min(len(body), 64<<10)]); m != nil {
		if title := k.short(html.UnescapeString(string(m[1])), 120); title != "" {
			return fmt.Sprintf("a web page titled %q", title)
		}
	}
	return "a web page"
}

// short makes foreign text fit for an error. The key is looked for after hidden characters are
// gone, which may have cut it in two, and before the text is shortened: half a key would not be
// found any more.
func (k *attempts) short(s string, n int) string { return text.Cut(k.scrub.Text(text.Line(s)), n) }

// isObject reports whether a body is a JSON object, or a list of them: Gemini's endpoint packs its
// error into one.
func isObject(body []byte) bool {
	var list []map[string]json.RawMessage
	if json.Unmarshal(body, &list) != nil {
		list = make([]map[string]json.RawMessage, 1)
		_ = json.Unmarshal(body, &list[0])
	}
	return len(list) > 0 && list[0] != nil
}
