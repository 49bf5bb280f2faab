package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// older is a proxy in front of a scripted server of the older era, and its client of 2026-07-28.
func older(t *testing.T, change func(*Options)) (*rig, *scripted) {
	r, s := inFrontOf(t, tame, change)
	s.when("server/discover", func(s *scripted, m *message) string {
		s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID))
		return ""
	})
	s.when("initialize", func(*scripted, *message) string {
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},` +
			`"serverInfo":{"name":"other","version":"1"}}`
	})
	return r, s
}

// modern sends a request of 2026-07-28 of a client that shows forms; extra are more of its params
// and of its _meta.
func (r *rig) modern(id int, method, extra, meta string) {
	r.t.Helper()
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},%s`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}`, id, method,
		extra, meta))
}

// inquiring makes the server ask during a call, and say what it was answered.
func inquiring(s *scripted, questions ...string) (answers chan string) {
	answers = make(chan string, 100)
	s.when("tools/call", func(s *scripted, m *message) string {
		next := func(n int) {
			s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d",%s}`, n, questions[n]))
		}
		s.when("", func(s *scripted, a *message) string {
			answers <- string(a.ID) + string(a.Result) + textOf(at(a.Error, "message"))
			var n int
			if _, err := fmt.Sscanf(string(a.ID), `"q%d"`, &n); err == nil && n+1 < len(questions) {
				next(n + 1)
				return ""
			}
			s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID))
			return ""
		})
		next(0)
		return ""
	})
	return answers
}

const formed = `"method":"elicitation/create","params":{"message":"which?","requestedSchema":{}}`

// inputs are the requestState and the questions of a result that asks.
func inputs(t *testing.T, line string) (state string, questions json.RawMessage) {
	t.Helper()
	result := at(json.RawMessage(line), "result")
	require.Equal(t, "input_required", textOf(at(result, "resultType")), line)
	return textOf(at(result, "requestState")), at(result, "inputRequests")
}

// However much a server asks meanwhile: it is answered, and the response is not lost.
func TestWhatIsSaidDuringAHeldCallIsAnswered(t *testing.T) {
	r, s := older(t, nil)
	const asked = maxKept + 4
	refused := make(chan string, asked+1)
	s.when("tools/call", func(s *scripted, m *message) string {
		s.when("", func(_ *scripted, a *message) string {
			refused <- textOf(at(a.Error, "message"))
			return ""
		})
		s.say(`{"jsonrpc":"2.0","id":"first",` + formed + `}`)
		for n := range asked {
			s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d",%s}`, n, formed))
		}
		s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text",`+
			`"text":"done"}]}}`, m.ID))
		return ""
	})
	call := `"name":"tidy","arguments":{"n":1},`
	r.modern(1, "tools/call", call, "")
	state, _ := inputs(t, r.next())
	for range asked - maxKept {
		require.Equal(t, "the client has not answered what it was asked before", <-refused)
	}
	for n := range maxKept + 1 {
		r.modern(2+n, "tools/call", call+fmt.Sprintf(`"requestState":%q,`, state)+
			`"inputResponses":{"question":{"action":"accept","content":{"n":1}}},`, "")
		if n < maxKept {
			state, _ = inputs(t, r.next())
		}
	}
	require.Contains(t, r.next(), "done")
}

// What a server of the older era asks during a call, a client of the newer is asked by its result;
// the call goes on where it was, and is made once.
func TestACallGoesOnWhereItsServerAsked(t *testing.T) {
	r, s := older(t, nil)
	answers := inquiring(s, formed, `"method":"roots/list"`, formed)
	call := `"name":"tidy","arguments":{"n":1},`
	r.modern(1, "tools/call", call, "")
	state, questions := inputs(t, r.next())
	require.JSONEq(t, `{"question":{"method":"elicitation/create","params":{"message":"which?",`+
		`"requestedSchema":{}}}}`, string(questions))
	back := func(id int, call, state, answer string) string {
		r.modern(id, "tools/call", call+fmt.Sprintf(`"requestState":%q,`, state)+answer, "")
		return r.next()
	}
	yes := `"inputResponses":{"question":{"action":"accept","content":{"n":1}}},`
	for _, wrong := range []string{back(2, `"name":"tidy","arguments":{"n":2},`, state, yes),
		back(3, `"name":"echo","arguments":{"n":1},`, state, yes),
		back(4, call, heldState+"made up", yes)} {
		require.Contains(t, wrong, "make it again, without a requestState")
	}
	state, _ = inputs(t, back(5, call, state, "")) // without an answer it is asked again
	require.Empty(t, answers)

	again, _ := inputs(t, back(6, call, state, yes))
	require.Equal(t, `"q0"{"action":"accept","content":{"n":1}}`, <-answers)
	require.Equal(t, `"q1"the client has no roots`, <-answers)
	require.Contains(t, back(7, call, state, yes), "not under way any more", "it is used once")
	require.Contains(t, back(8, call, again, yes), `"resultType":"complete"`)
	require.Equal(t, `"q2"{"action":"accept","content":{"n":1}}`, <-answers)
	require.Equal(t, 1, s.count("tools/call"))
	require.Zero(t, r.under())
}

func TestACallWhoseClientDoesNotComeBackIsCancelled(t *testing.T) {
	r, s := older(t, func(o *Options) { o.Expires = time.Millisecond })
	answers := inquiring(s, formed)
	r.modern(1, "tools/call", `"name":"tidy",`, "")
	inputs(t, r.next())
	require.Equal(t, `"q0"`+noAnswer, <-answers)
	require.Eventually(t, func() bool {
		return s.count("notifications/cancelled") == 1 && r.under() == 0
	}, 10*time.Second, time.Millisecond)
}

func TestAClientThatIsGoneEndsItsCall(t *testing.T) {
	r, s := older(t, nil)
	s.when("tools/call", func(*scripted, *message) string { return "" })
	r.modern(1, "tools/call", `"name":"tidy",`, "")
	require.Eventually(t, func() bool { return s.count("tools/call") == 1 }, 10*time.Second,
		time.Millisecond)
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	require.Eventually(t, func() bool {
		return s.count("notifications/cancelled") == 1 && r.under() == 0
	}, 10*time.Second, time.Millisecond)
}

// Of what is logged a client of the newer era hears what each request wants to hear.
func TestLogsCrossTheEras(t *testing.T) {
	r, s := older(t, nil)
	s.when("tools/call", func(s *scripted, _ *message) string {
		for _, level := range []string{"debug", "warning", "error", "no such"} {
			s.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + level +
				`","data":"said"}}`)
		}
		return `{"content":[]}`
	})
	for level, want := range map[string]int{"": 0, "debug": 3, "warning": 2, "emergency": 0,
		"no such": 0} {
		meta := ""
		if level != "" {
			meta = fmt.Sprintf(`"io.modelcontextprotocol/logLevel":%q,`, level)
		}
		r.modern(1, "tools/call", `"name":"tidy",`, meta)
		said := 0
		for line := ""; !strings.Contains(line, `"id":1`); said++ {
			line = r.next()
		}
		require.Equal(t, want, said-1, level)
	}
	require.LessOrEqual(t, s.count("logging/setLevel"), 3, "it is set when more is wanted")
}
