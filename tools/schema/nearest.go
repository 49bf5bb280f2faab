package schema

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// kin are names that callers take for one another, and first in each group those of ours.
var kin = [][]string{
	{"reply_from_client", "response", "reply", "answer", "user_reply", "user_answer", "message",
		"text", "content", "value", "client_reply"},
	{"prompt", "question", "query", "message", "text", "content"},
	{"task", "goal", "prompt", "instruction", "instructions", "command", "query", "request",
		"objective", "description", "message", "text"},
	{"device_id", "device", "serial", "phone", "udid"},
	{"session_id", "session", "id", "thread_id"},
	{"question_id", "question", "inquiry_id", "id"},
	{"timeout_seconds", "timeout", "deadline", "expires_in"},
	{"wait_seconds", "timeout", "wait", "max_wait", "seconds", "timeout_ms"},
	{"options", "choices", "buttons", "suggestions", "answers"},
	{"fields", "form", "schema", "requested_schema", "inputs"},
	{"draft", "initial_text", "prefill", "proposal"},
	{"default_answer", "default", "fallback"},
	{"context", "background", "description", "reason", "details"},
	{"max_steps", "steps", "max_iterations", "max_turns", "limit"},
	{"limit", "max", "count", "page_size", "max_results"},
	{"since_step", "after", "since", "offset", "from_step"},
	{"decisions", "decision", "approve", "approval"},
	{"decline", "refuse", "cancel", "reject"},
	{"mode", "action", "type"},
	{"reset_environment", "reset", "home", "fresh"},
	{"elements", "tree", "hierarchy", "ui"},
	{"state", "status", "stop_reason"},
}

// Nearest is which of the names was probably meant: the same in another spelling, a name that
// callers take for it, one with the same words, or one that differs in few letters. It is "" when
// the name given resembles none.
func Nearest(given string, names []string) string {
	words := wordsOf(given)
	given = strings.Join(words, "_")
	for _, group := range kin {
		own := slices.IndexFunc(group, func(n string) bool { return slices.Contains(names, n) })
		if own >= 0 && slices.Contains(group, given) {
			return group[own]
		}
	}
	for away := range (len(given)+1)/3 + 1 {
		for _, name := range names {
			if levenshtein.ComputeDistance(given, name) == away {
				return name
			}
		}
	}
	best, most := "", 0
	for _, name := range names {
		shared := 0
		for _, w := range wordsOf(name) {
			if slices.Contains(words, w) {
				shared++
			}
		}
		if shared > most {
			best, most = name, shared
		}
	}
	return best
}

// wordsOf are the words of a name in any spelling, in lower case.
func wordsOf(name string) []string {
	var spaced strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
