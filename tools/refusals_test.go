package tools_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// toolNames are the names of our tools in a text.
var toolNames = regexp.MustCompile(`\b(ask_agent(_\w+)?|list_(sessions|connected_devices|` +
	`pending_questions)|get_screenshot|send_inquiry|answer_question)\b`)

// agrees checks that a refusal says the same in words and for programs: a tool that its hint names
// is the one of its next call, and the other way round.
func (w *fixture) agrees(a answer) {
	w.t.Helper()
	next, named := nextOf(w.t, a), toolNames.FindAllString(a.Error.Hint, -1)
	if next == nil {
		require.Empty(w.t, named, "%s names a call, and next does not: %s", a.Error.Code,
			a.Error.Hint)
		return
	}
	require.Contains(w.t, named, next.Tool, "%s names another call than its next %s: %s",
		a.Error.Code, next.Tool, a.Error.Hint)
}

func nextOf(t *testing.T, a answer) *result.Next {
	t.Helper()
	var body struct{ Next *result.Next }
	require.NoError(t, json.Unmarshal(encode(t, a.structured), &body))
	return body.Next
}

// refusals provoke every refusal that there is, by the code that comes; what follows a code tells
// several of it apart.
var refusals = map[string]func(w *fixture) answer{
	"SESSION_NOT_FOUND": func(w *fixture) answer { return w.wait("nosuch") },
	"SESSION_NOT_FOUND on a phone": func(w *fixture) answer {
		return w.call(resume, in{"device_id": "A"})
	},
	"SESSION_NOT_FOUND of a question": func(w *fixture) answer {
		return w.call("send_inquiry", in{"prompt": "x?", "session_id": "nosuch"})
	},
	"DEVICE_NOT_FOUND": func(w *fixture) answer {
		return w.call(start, in{"task": "tap", "device_id": "nosuch"})
	},
	"DEVICE_NOT_FOUND for a look": func(w *fixture) answer {
		return w.call("get_screenshot", in{"device_id": "nosuch"})
	},
	"DEVICE_OFFLINE":      without(start, "task", "tap", "device_id", "tired"),
	"DEVICE_UNAUTHORIZED": without("get_screenshot", "device_id", "shy"),
	"DEVICE_AMBIGUOUS": func(w *fixture) answer {
		w.phones.add("B")
		return w.call(start, in{"task": "tap"})
	},
	"DEVICE_MISMATCH": func(w *fixture) answer {
		return w.call(resume, in{"session_id": w.start("tap ask").SessionID, "device_id": "B"})
	},
	"DEVICE_MISMATCH with an answer": func(w *fixture) answer {
		return w.call(resume, in{"session_id": w.start("ask").SessionID, "device_id": "B",
			"reply_from_client": "red"})
	},
	"DEVICE_BUSY by the caller's question": func(w *fixture) answer {
		w.start("ask")
		return w.call(start, in{"task": "tap"})
	},
	"DEVICE_BUSY by the caller's run": func(w *fixture) answer {
		w.start("forever", in{"wait_seconds": 1})
		return w.call(start, in{"task": "tap"})
	},
	"DEVICE_BUSY by somebody else": func(w *fixture) answer {
		w.foreign("forever")
		return w.call(start, in{"task": "tap", "wait_seconds": 0})
	},
	"DEVICE_BUSY because it is cordoned": func(w *fixture) answer {
		_, err := w.store.Farm.SetClosed(w.t.Context(), store.ClosedPhone+"A", true,
			store.AuditEntry{Event: store.AuditCordoned})
		require.NoError(w.t, err)
		return w.call(start, in{"task": "tap"})
	},
	"DEVICE_BUSY by somebody else, for a look": func(w *fixture) answer {
		w.foreign("forever")
		return w.call("get_screenshot", nil)
	},
	"NO_OPEN_QUESTION while it runs": func(w *fixture) answer {
		id := w.start("forever", in{"wait_seconds": 1}).SessionID
		return w.call(resume, in{"session_id": id, "reply_from_client": "red"})
	},
	"NO_OPEN_QUESTION any more": func(w *fixture) answer {
		id := w.start("tap").SessionID
		return w.call(resume, in{"session_id": id, "reply_from_client": "red"})
	},
	"NO_OPEN_QUESTION of this id": func(w *fixture) answer {
		return w.call(resume, in{"session_id": w.start("ask").SessionID, "reply_from_client": "red",
			"question_id": "nosuch"})
	},
	"NO_OPEN_QUESTION to wait for": func(w *fixture) answer {
		return w.call(wait, in{"session_id": w.start("ask").SessionID, "question_id": "nosuch"})
	},
	"QUESTION_ALREADY_RESOLVED while it runs": func(w *fixture) answer {
		return w.late("ask tap tap tap tap", resume)
	},
	"QUESTION_ALREADY_RESOLVED and it has ended": func(w *fixture) answer {
		return w.late("ask tap", resume)
	},
	"QUESTION_ALREADY_RESOLVED by another tool": func(w *fixture) answer {
		return w.late("ask tap tap tap tap", "answer_question")
	},
	"QUESTION_ALREADY_RESOLVED by another tool, and it has ended": func(w *fixture) answer {
		return w.late("ask tap", "answer_question")
	},
	"QUESTION_ALREADY_RESOLVED of an inquiry": func(w *fixture) answer {
		q := w.ask("send_inquiry", in{"prompt": "x?", "wait_seconds": 0})
		w.settle(q.ID, fromPage)
		return w.call("answer_question", in{"question_id": q.ID, "response": "x"})
	},
	"QUESTION_ALREADY_RESOLVED of an inquiry that is gone": func(w *fixture) answer {
		q := w.ask("send_inquiry", in{"prompt": "x?", "wait_seconds": 0})
		time.Sleep(48 * time.Hour)
		return w.call("answer_question", in{"question_id": q.ID, "response": "x"})
	},
	"QUESTION_SUPERSEDED": func(w *fixture) answer {
		a := w.start("ask ask")
		w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "red"})
		return w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "blue",
			"question_id": a.Question.ID})
	},
	"DECISION_FORBIDDEN": func(w *fixture) answer {
		w.gate = asking{"critical"}
		return w.call(resume, in{"session_id": w.start("tap").SessionID,
			"decisions": []any{in{"type": "approve"}}})
	},
	"RUN_IN_PROGRESS": func(w *fixture) answer {
		id := w.start("forever", in{"wait_seconds": 1}).SessionID
		return w.call(resume, in{"session_id": id, "task": "tap"})
	},
	"RUN_IN_PROGRESS with a question": func(w *fixture) answer {
		return w.call(resume, in{"session_id": w.start("ask").SessionID, "task": "tap"})
	},
	"QUESTION_NOT_FOUND": func(w *fixture) answer {
		return w.call("answer_question", in{"question_id": "nosuch", "response": "x"})
	},
	"QUESTION_NOT_FOUND to wait for": func(w *fixture) answer {
		return w.call("send_inquiry", in{"question_id": "nosuch"})
	},
	"QUESTION_LIMIT": func(w *fixture) answer {
		for range 100 {
			w.ask("send_inquiry", in{"prompt": "x?", "wait_seconds": 0})
		}
		return w.call("send_inquiry", in{"prompt": "x?"})
	},
	"INVALID_ARGUMENT: the agent's question": func(w *fixture) answer {
		return w.call("send_inquiry", in{"question_id": w.start("ask").Question.ID})
	},
	"INVALID_ARGUMENT: the agent's question, of a run that goes on": func(w *fixture) answer {
		a := w.start("ask tap tap tap tap")
		w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "x", "wait_seconds": 1})
		return w.call("send_inquiry", in{"question_id": a.Question.ID})
	},
	"INVALID_ARGUMENT: a question asked and waited for": func(w *fixture) answer {
		q := w.ask("send_inquiry", in{"prompt": "x?", "wait_seconds": 0})
		return w.call("send_inquiry", in{"question_id": q.ID, "prompt": "y?", "wait_seconds": 0})
	},
	"INVALID_ARGUMENT: an answer and a task": func(w *fixture) answer {
		return w.call(resume, in{"session_id": w.start("ask").SessionID, "reply_from_client": "red",
			"task": "another"})
	},
	"INVALID_ARGUMENT: an answer and a task, under the older name": func(w *fixture) answer {
		return w.call("ask_agent", in{"session_id": w.start("ask").SessionID,
			"reply_from_client": "red", "task": "another", "wait_seconds": 3})
	},
	"INVALID_ARGUMENT: no session":            without(resume),
	"INVALID_ARGUMENT: no session to answer":  without("ask_agent", "reply_from_client", "red"),
	"INVALID_ARGUMENT: no session to wait":    without(wait),
	"INVALID_ARGUMENT: no session to stop":    without("ask_agent_stop"),
	"INVALID_ARGUMENT: an empty session":      without(wait, "session_id", " "),
	"INVALID_ARGUMENT: a session as a number": without("ask_agent_stop", "session_id", 7),
	"INVALID_ARGUMENT: no question":           without("answer_question", "response", "x"),
	"INVALID_ARGUMENT: an empty question": without("answer_question", "response", "x",
		"question_id", ""),
	"INVALID_ARGUMENT: a phone by number": without("get_screenshot", "device_id", 7),
	"INVALID_ARGUMENT: no task":           without(start),
	"INVALID_ARGUMENT: neither":           without("ask_agent"),
	"INVALID_ARGUMENT: state of a form": func(w *fixture) answer {
		w.disconnect()
		w.modern()
		return w.again(start, in{"task": "ask"}, "forged", in{})
	},
	"INVALID_ARGUMENT: a key of another task": func(w *fixture) answer {
		w.start("tap", in{"idempotency_key": "k"})
		return w.call(start, in{"task": "other", "idempotency_key": "k"})
	},
	"INVALID_ARGUMENT: nothing to go on with": func(w *fixture) answer {
		return w.call(resume, in{"session_id": w.start("tap").SessionID})
	},
	"RUN_ENDED": func(w *fixture) answer {
		return w.says(w.start("tap").SessionID)
	},
	"MESSAGE_LIMIT": func(w *fixture) answer {
		id := w.start("ask").SessionID
		for range store.MaxMessages {
			w.says(id)
		}
		return w.says(id)
	},
	"NOTHING_TO_TAKE_OVER": func(w *fixture) answer {
		return w.call("ask_agent_stop",
			in{"session_id": w.start("tap").SessionID, "mode": "takeover"})
	},
	"PRIVACY_MODE": func(w *fixture) answer {
		w.end()
		w.topts.Privacy = usecase.PrivacyCaptions
		w.begin()
		return w.call("get_screenshot", nil)
	},
	"SECURE_SCREEN":       look(devicetest.Change{Secure: new(true)}),
	"DEVICE_DISCONNECTED": look(devicetest.Change{Gone: new(true)}),
	"ADB_UNREACHABLE": func(w *fixture) answer {
		w.phones.broken = runs.Refuse(runs.ADBUnreachable, "start it", "no server")
		return w.call("list_connected_devices", nil)
	},
	"DEVICE_ERROR": func(w *fixture) answer {
		w.phones.broken = errors.New("nothing listens at port 5037")
		return w.call("list_connected_devices", nil)
	},
	"SERVER_CLOSING": func(w *fixture) answer {
		require.NoError(w.t, w.manager.Close())
		return w.call(start, in{"task": "tap"})
	},
	"INTERNAL_ERROR":    failing(errors.New("out of luck")),
	"STORE_UNAVAILABLE": failing(hint.Add(store.ErrLocked, "wait for it")),
}

// failing has a store that fails.
func failing(err error) func(w *fixture) answer {
	return func(w *fixture) answer {
		w.topts.Store = brokenStore{w.store, err}
		require.NoError(w.t, w.client.Close())
		w.connect()
		return w.call("list_sessions", nil)
	}
}

// foreign starts a task that is somebody else's.
func (w *fixture) foreign(task string) {
	a, err := w.try(w.as("bob"), start, in{"task": task, "wait_seconds": 1}, nil)
	require.NoError(w.t, err)
	require.Equal(w.t, still, a.code())
}

// late answers a question of a task that was answered before.
func (w *fixture) late(task, tool string) answer {
	a := w.start(task)
	w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "red", "wait_seconds": 3})
	if tool == resume {
		return w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "blue",
			"question_id": a.Question.ID})
	}
	return w.call(tool, in{"question_id": a.Question.ID, "response": "blue"})
}

// without calls a tool with these arguments only.
func without(tool string, pairs ...any) func(w *fixture) answer {
	return func(w *fixture) answer {
		arguments := in{}
		for i := 0; i < len(pairs); i += 2 {
			arguments[pairs[i].(string)] = pairs[i+1]
		}
		return w.call(tool, arguments)
	}
}

func look(c devicetest.Change) func(w *fixture) answer {
	return func(w *fixture) answer {
		w.phones.phone("A").Set(c)
		return w.call("get_screenshot", nil)
	}
}

// dead are the refusals with which nothing can be done by another call, and those whose next call
// only the caller can fill in.
var dead = []string{"RUN_ENDED", "NOTHING_TO_TAKE_OVER",
	"PRIVACY_MODE", "SECURE_SCREEN", "DEVICE_ERROR", "ADB_UNREACHABLE",
	"SERVER_CLOSING", "INTERNAL_ERROR", "STORE_UNAVAILABLE",
	"INVALID_ARGUMENT: no task", "INVALID_ARGUMENT: neither",
	"INVALID_ARGUMENT: a key of another task", "INVALID_ARGUMENT: nothing to go on with"}

func TestEveryRefusalNamesTheCallThatGoesOn(t *testing.T) {
	for name, provoke := range refusals {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				a := provoke(w)
				require.True(t, a.raw.IsError, a.text)
				require.True(t, strings.HasPrefix(name, a.Error.Code), "%s: %s", a.Error.Code,
					a.text)
				next := nextOf(t, a)
				if next == nil {
					require.Contains(t, dead, name, a.text)
					return
				}
				require.NotContains(t, dead, name)
				if strings.Contains(next.Why, "reply_from_client") {
					next.Arguments["reply_from_client"] = "red"
				}
				b := w.call(next.Tool, next.Arguments)
				require.False(t, b.raw.IsError, "%s\nleads to\n%s", a.text, b.text)
			})
		})
	}
}

func TestTheRefusalsAreAllThatThereAre(t *testing.T) {
	var provoked []string
	for name := range refusals {
		code, _, _ := strings.Cut(strings.TrimSuffix(name, ":"), " ")
		provoked = append(provoked, strings.TrimSuffix(code, ":"))
	}
	codes := 0
	for _, dir := range []string{".", "../internal/runs"} {
		for _, code := range codesIn(t, dir) {
			codes++
			require.Contains(t, provoked, code, "give the code in %s a row in refusals", dir)
		}
	}
	require.Greater(t, codes, 15)
}

// codesIn are the constants of type Code in the Go files of a folder.
func codesIn(t *testing.T, dir string) (codes []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			v, is := n.(*ast.ValueSpec)
			if !is || v.Type == nil || len(v.Values) == 0 {
				return true
			}
			of := string(src[v.Type.Pos()-file.FileStart : v.Type.End()-file.FileStart])
			if slices.Contains([]string{"Code", "runs.Code"}, of) {
				code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				codes = append(codes, code)
			}
			return true
		})
	}
	return codes
}
