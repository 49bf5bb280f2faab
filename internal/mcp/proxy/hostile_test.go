package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
)

// scripted is a server in this process that says what a test wants.
type scripted struct {
	r upstream.Receiver

	mu    sync.Mutex
	tools string // of its list
	on    map[string]func(s *scripted, m *message) string
	got   []*message
}

func (s *scripted) Send(_ context.Context, m *message) error {
	s.mu.Lock()
	s.got = append(s.got, m)
	tools, on := s.tools, s.on[m.Method]
	s.mu.Unlock()
	result := `{}`
	switch {
	case m.IsResponse() && on != nil:
		_ = on(s, m)
		return nil
	case !m.IsRequest():
		return nil
	case on != nil:
		result = on(s, m)
	case m.Method == "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` +
			`"serverInfo":{"name":"other","version":"1"}}`
	case m.Method == "tools/list":
		result = `{"tools":[` + tools + `]}`
	case m.Method == "tools/call":
		result = `{"content":[{"type":"text","text":"carried out"}]}`
	}
	if result != "" {
		s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
	}
	return nil
}

func (s *scripted) Close() {}

// say makes the server send a line.
func (s *scripted) say(line string) {
	all, err := upstream.Read([]byte(line))
	if err != nil {
		panic(err)
	}
	s.r.Receive(s, all[0])
}

// lists makes its list of tools another one.
func (s *scripted) lists(tools string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = tools
}

// when makes it answer a method with the result that f gives; with "" not at all.
func (s *scripted) when(method string, f func(s *scripted, m *message) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on[method] = f
}

// count is how often it got the method.
func (s *scripted) count(method string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.got {
		if m.Method == method {
			n++
		}
	}
	return n
}

// inFrontOf is a proxy in front of a scripted server with these tools, and its client.
func inFrontOf(t *testing.T, tools string, change func(*Options)) (*rig, *scripted) {
	t.Helper()
	r := newRig(t, change)
	s := &scripted{tools: tools, on: map[string]func(*scripted, *message) string{}}
	r.p.dial = func(_ context.Context, to upstream.Receiver) (upstream.Conn, error) {
		s.r = to
		return s, nil
	}
	r.shake("{}")
	return r, s
}

const (
	tame = `{"name":"tidy","inputSchema":{"type":"object"}}`
	wild = `{"name":"tidy","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`
	news = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

func atOnce(o *Options) { o.Wait = func(string) time.Duration { return 0 } }

// What a person has approved is the tool as it was then: its schema and what it says of itself.
func TestAnApprovalIsOfTheToolAsItWas(t *testing.T) {
	other := strings.Replace(wild, `"object"`, `"object","properties":{"all":{}}`, 1)
	for name, changed := range map[string]string{"schema": other,
		"annotations": strings.Replace(wild, `true`, `true,"openWorldHint":true`, 1)} {
		t.Run(name, func(t *testing.T) {
			r, s := inFrontOf(t, wild, atOnce)
			r.result(r.start("tidy", "{}", ""))
			q := r.asked()
			require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Approve}))
			s.lists(changed) // it does not say so
			require.Contains(t, r.result(r.start("tidy", "{}", "")), "no answer yet")
			require.Zero(t, s.count("tools/call"))
			again := r.asked()
			require.NotEqual(t, q.ID, again.ID)

			// the same in other words is the same
			s.lists(strings.Replace(changed, `,"annotations"`, ` , "annotations" `, 1))
			require.NoError(t, r.decide(again, inquiry.Decision{Type: inquiry.Approve}))
			require.Equal(t, "carried out", r.result(r.start("tidy", "{}", "")))
			require.Equal(t, 1, s.count("tools/call"))
		})
	}
}

// Two servers may have the same name, such as one for each of two folders.
func TestAnApprovalIsForOneServer(t *testing.T) {
	r, _ := inFrontOf(t, wild, atOnce)
	r.result(r.start("tidy", "{}", ""))
	require.NoError(t, r.decide(r.asked(), inquiry.Decision{Type: inquiry.Approve}))
	other, s := inFrontOf(t, wild, func(o *Options) {
		atOnce(o)
		o.Questions, o.Target.Command = r.ask, []string{"server", "/elsewhere"}
	})
	require.Contains(t, other.result(other.start("tidy", "{}", "")), "no answer yet")
	require.Zero(t, s.count("tools/call"))
	require.Equal(t, "carried out", r.result(r.start("tidy", "{}", "")))
}

func TestAToolThatChangesWhileAPersonIsAskedIsAskedAboutAgain(t *testing.T) {
	r, s := inFrontOf(t, wild, nil)
	id := r.start("tidy", "{}", "")
	q := r.asked()
	s.lists(strings.Replace(wild, `"object"`, `"object","required":["x"]`, 1))
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Approve}))
	require.NoError(t, r.decide(r.asked(), inquiry.Decision{Type: inquiry.Reject, Message: "no"}))
	require.Equal(t, "refused by the other side: no", r.result(id))
	require.Zero(t, s.count("tools/call"))
}

// A server that has said of a tool that it destroys something does not take that back.
func TestWhatAServerSaysOfAToolOnlyRaises(t *testing.T) {
	shy := strings.Replace(wild, "true", `true,"readOnlyHint":true`, 1)
	for name, lists := range map[string][]string{
		"taken back": {wild, tame}, "called harmless": {wild, shy}, "twice": {wild + "," + tame},
		"left out": {wild, ""}, "later": {tame, wild}} {
		t.Run(name, func(t *testing.T) {
			r, s := inFrontOf(t, "", atOnce)
			for _, list := range lists {
				s.lists(list)
				s.say(news)
				require.Contains(t, r.next(), "list_changed")
				r.result(r.start("tidy", `{"n":1}`, ""))
			}
			before := s.count("tools/call")
			require.Contains(t, r.result(r.start("tidy", `{"n":2}`, "")), "no answer yet")
			require.Equal(t, before, s.count("tools/call"))
		})
	}
}

// The list that a client reads before it calls anything counts, whatever the next one says.
func TestWhatAClientReadFirstCounts(t *testing.T) {
	r, s := inFrontOf(t, wild, atOnce)
	r.send(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	require.Contains(t, r.next(), "destructiveHint")
	s.lists(tame)
	require.Contains(t, r.result(r.start("tidy", "{}", "")), "no answer yet")
	require.Zero(t, s.count("tools/call"))
}

// A tool that came after the list was read, without a word, is looked up before it is called; and
// what the client reads in a list is known here, too.
func TestAToolThatComesSilentlyIsLookedUp(t *testing.T) {
	r, s := inFrontOf(t, `{"name":"x"}`, atOnce)
	require.Equal(t, "carried out", r.result(r.start("x", "{}", "")))
	s.lists(`{"name":"x"},` + wild)
	require.Contains(t, r.result(r.start("tidy", "{}", "")), "no answer yet")

	s.lists(`{"name":"x","annotations":{"destructiveHint":true}}`)
	r.send(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	require.Contains(t, r.next(), "destructiveHint")
	require.Contains(t, r.result(r.start("x", "{}", "")), "no answer yet")
	require.Equal(t, 1, s.count("tools/call"))
}

// A server that does not list its tools holds up the calls alone that need the list.
func TestACallWaitsForNoListThatItDoesNotNeed(t *testing.T) {
	r, s := inFrontOf(t, tame, nil)
	require.Equal(t, "carried out", r.result(r.start("tidy", "{}", "")))
	s.when("tools/list", func(*scripted, *message) string { return "" })
	id := r.start("other", "{}", "")
	require.Eventually(t, func() bool { return s.count("tools/list") == 2 }, patience,
		time.Millisecond)
	require.Equal(t, "carried out", r.result(r.start("tidy", "{}", "")))
	waits := r.start("another", "{}", "")
	for _, id := range []int{waits, id} {
		r.send(fmt.Sprintf(
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	}
	require.Eventually(t, func() bool { return r.under() == 0 }, patience,
		time.Millisecond, "a call that waits for another's list can be cancelled")
}

func TestAServerThatNeverListsItsToolsIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := inFrontOf(t, tame, nil)
		s.when("tools/list", func(*scripted, *message) string { return "" })
		r.start("tidy", "{}", "")
		require.Contains(t, <-r.lines, "the server other: it does not say which tools it has")
	})
}

func TestAServerThatListsNoToolsIsAskedAbout(t *testing.T) {
	r, s := inFrontOf(t, "", atOnce)
	s.when("tools/list", func(s *scripted, m *message) string {
		s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no"}}`, m.ID))
		return ""
	})
	require.Contains(t, r.result(r.start("tidy", "{}", "")), "no answer yet")
	require.Zero(t, s.count("tools/call"))
}

// A server that reads methods generously would carry these out, and nobody was asked.
func TestACallInDisguiseReachesNoServer(t *testing.T) {
	r, s := inFrontOf(t, wild, nil)
	for _, method := range []string{"Tools/Call", "tools/call ", " tools/call", `tools/call\u0000`,
		"tools//call", "tools.call", `tools/\u200bcall`, `\uff54ools/call`, "TOOLS/CALL"} {
		r.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"name":"tidy"}}`)
		require.Contains(t, r.next(), `"code":-32601`, method)
	}
	require.Len(t, s.got, 2, "the handshake")
	for _, method := range []string{"tools/list", "tasks/get", "completion/complete"} {
		r.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"name":"tidy"}}`)
		require.Contains(t, r.next(), `"result"`, method)
	}
}

// A server that reads names without regard to case, as encoding/json does, would read another call
// than the one that was decided about.
func TestACallHasNoSecondReading(t *testing.T) {
	r, s := inFrontOf(t, `{"name":"tidy","inputSchema":{"type":"object","properties":{"desk":{},`+
		`"at":{"type":"object","properties":{"room":{}}},`+
		`"ops":{"type":"array","items":{"type":"object","properties":{"path":{}}}}}}}`, nil)
	for params, twin := range map[string]string{
		`"arguments":{},"argument\u017f":{"desk":1}`:      "argument\u017f",
		`"Arguments":{"desk":1}`:                          "Arguments",
		`"arguments":{},"NAME":"other"`:                   "NAME",
		`"arguments":{"Desk":1}`:                          "Desk",
		`"arguments":{"desk":1,"de\u017fk":2}`:            "de\u017fk",
		`"arguments":{"at":{"room":1,"Room":2},"desk":1}`: "Room",
		`"arguments":{"ops":[{"path":"a"},{"Path":"b"}]}`: "Path",
	} {
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tidy",` +
			params + `}}`)
		require.Contains(t, words(t, r.next()), `not carried out: "`+twin+`" could be read as "`)
	}
	require.Zero(t, s.count("tools/call"))
	for _, args := range []string{`{"desk":1,"other":2}`, `{"at":{"floor":3}}`,
		`{"ops":[{"path":"a","mode":1},2,[{"Path":3}]]}`} {
		require.Equal(t, "carried out", r.result(r.start("tidy", args, `,"task":{"ttl":1}`)))
	}
}

// Closing waits for the question whether a silent server lives, as for all that is under way.
func TestClosingWaitsForAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := inFrontOf(t, tame, func(o *Options) { o.Guard = nil })
		held, asked := make(chan struct{}), make(chan struct{})
		s.when("tools/call", func(*scripted, *message) string { return "" })
		s.when("ping", func(*scripted, *message) string {
			close(asked)
			<-held
			return ""
		})
		r.start("tidy", "{}", "")
		<-asked
		began := time.Now()
		r.p.Close()
		require.Equal(t, closeTime, time.Since(began), "not longer, either")
		close(held)
	})
}

// Whose call is answered under another id is told so, also by a server that lives.
func TestACallThatIsAnsweredUnderAnotherIDIsToldSo(t *testing.T) {
	r, s := inFrontOf(t, tame, func(o *Options) {
		o.Guard, o.Quiet = nil, 50*time.Millisecond
	})
	s.when("tools/call", func(s *scripted, m *message) string {
		s.say(`{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}`)
		return ""
	})
	told := r.result(r.start("tidy", "{}", ""))
	require.Contains(t, told, "it answered a request that was not made, and this one not at all")
	require.Contains(t, told, "4711")
	require.Contains(t, told, "whether the call was carried out is not known")
	require.Eventually(t, func() bool { return s.count("notifications/cancelled") == 1 },
		patience, time.Millisecond)
	require.Zero(t, r.under())
}

// An answer to nothing, a second one, and one that comes too late change nothing; the one to
// nothing is named when the server ends.
func TestAnswersThatNobodyWaitsForAreNoAnswers(t *testing.T) {
	r, s := inFrontOf(t, tame, func(o *Options) { o.Guard = nil })
	s.when("tools/call", func(s *scripted, m *message) string {
		if strings.Contains(string(m.Params), "never") {
			return ""
		}
		for _, foreign := range []string{"4711", `"x"`, "-1", "0", "null", "1e9"} {
			s.say(`{"jsonrpc":"2.0","id":` + foreign + `,"result":{"content":[]}}`)
		}
		text := `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`
		s.say(fmt.Sprintf(text, m.ID, "first"))
		s.say(fmt.Sprintf(text, m.ID, "second"))
		return ""
	})
	require.Equal(t, "first", r.result(r.start("tidy", "{}", "")))
	require.Equal(t, "first", r.result(r.start("tidy", "{}", "")), "the second is not kept for it")

	id := r.start("tidy", `{"x":"never"}`, "")
	require.Eventually(t, func() bool { return s.count("tools/call") == 3 }, patience,
		time.Millisecond)
	r.send(fmt.Sprintf(
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	require.Eventually(t, func() bool { return s.count("notifications/cancelled") == 1 },
		patience, time.Millisecond)
	s.mu.Lock()
	late, cancelled := s.got[len(s.got)-2], s.got[len(s.got)-1]
	s.mu.Unlock()
	require.Contains(t, string(cancelled.Params), `"requestId":`+string(late.ID))
	s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"late":true}}`, late.ID))
	require.Equal(t, "first", r.result(r.start("tidy", "{}", "")))
	require.Zero(t, r.under())

	for _, l := range r.p.links {
		require.Contains(t, l.conn.fault("it has ended").Error(), "sent what is no answer 18 times")
	}
}

// What the server says of an error comes to the client, also what is no error of JSON-RPC.
func TestAnErrorComesAsItIs(t *testing.T) {
	r, s := inFrontOf(t, tame, nil)
	for said, want := range map[string]string{
		`{"code":-1,"message":"m","data":{"n":12345678901234567890}}`: `{"code":-1,"message":"m",` +
			`"data":{"n":12345678901234567890}}`,
		`{"code":"E7","message":"the disk is full"}`: `that cannot be read: \"{\\\"code\\\"`,
	} {
		s.when("prompts/list", func(s *scripted, m *message) string {
			s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, said))
			return ""
		})
		r.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
		require.Contains(t, r.next(), want)
	}
}

// What the environment and the headers of a server hold is in no log, question, progress or result.
func TestSecretsAreWrittenNowhere(t *testing.T) {
	var log bytes.Buffer
	var mu sync.Mutex
	r := newRig(t, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return log.Write(b)
		}), &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM=garbage")
	})
	var said []string
	said = append(said, r.shake("{}"), r.result(r.start("token", "{}", "")))
	id := r.start("send_message", `{"text":"hi"}`, `,"_meta":{"progressToken":"`+secret+`"}`)
	require.NoError(t, r.decide(r.asked(), inquiry.Decision{Type: inquiry.Approve}))
	for line := ""; !strings.Contains(line, fmt.Sprint(`"id":`, id)); said = append(said, line) {
		line = r.next()
	}
	r.start("die", "{}", "")
	said = append(said, r.next())
	require.Contains(t, said[len(said)-1], "[secret]")
	list, err := r.ask.List(t.Context(), inquiry.Filter{})
	require.NoError(t, err)
	questions, err := json.Marshal(list)
	require.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	require.Contains(t, log.String(), "the connection to a server is lost")
	own := strings.ReplaceAll(strings.Join(said, "\n"), `"progressToken":"`+secret+`"`, "")
	require.NotContains(t, own+string(questions)+log.String(), secret)
}
