package agents_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/model"
)

// The test's program is the server that misbehaves, too.
func TestMain(m *testing.M) {
	if mode := os.Getenv("HOST_TEST_SERVER"); mode != "" {
		misbehave(mode)
		return
	}
	os.Exit(m.Run())
}

// misbehave serves on stdin and stdout, and dies or floods when asked for what the mode says.
func misbehave(mode string) {
	results := map[string]string{"tools/list": `{"tools":[{"name":"work"}]}`,
		"tools/call": `{"content":[{"type":"text","text":"worked"}]}`,
		"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},` +
			`"serverInfo":{"name":"bad","version":"1"}}`}
	how, when, _ := strings.Cut(mode, " ")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(lines.Bytes(), &m)
		if m.Method == when && how == "die" {
			os.Exit(3)
		}
		for m.Method == when && how == "flood" {
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		}
		if result := results[m.Method]; result != "" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		} else if m.ID != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":""}}`+"\n", m.ID)
		}
		if m.Method == when && how == "leave" {
			return
		}
	}
}

// everything calls all tools of servers, twice, and then says what it was told.
func everything(r model.Request) model.Response {
	var told []string
	rounds := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			rounds++
		} else {
			told = append(told, m.Parts[0].Text)
		}
	}
	if rounds == 2 {
		return model.Response{Text: strings.Join(told, "\n")}
	}
	var calls []model.ToolCall
	for _, t := range r.Tools {
		if t.Name != "read_result" {
			calls = append(calls, call(t.Name, `{"a":20,"b":3}`))
		}
	}
	return model.Response{ToolCalls: calls}
}

func TestAServerThatDiesOrFloodsIsNamedAndNotTheEnd(t *testing.T) {
	rules, err := guard.New(&guard.Options{})
	require.NoError(t, err)
	for mode, want := range map[string]string{
		"die initialize":   "the server bad: it has ended \\(exit status 3\\)",
		"die tools/list":   "the server bad: it has ended \\(exit status 3\\)",
		"flood tools/list": "the server bad: it floods",
		"die tools/call":   "the server bad: it has ended \\(exit status 3\\)",
		"flood tools/call": "the server bad: it floods",
		// by a new process, when it was not called while the old one left
		"leave tools/call": "worked|the server bad: it ",
		"leave tools/list": "worked|the server bad: it ",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			target := upstream.Target{Command: []string{os.Args[0]},
				Env: append(os.Environ(), "HOST_TEST_SERVER="+mode)}
			p, err := proxy.New(&proxy.Options{Name: "bad", Guard: rules, Target: target})
			require.NoError(t, err)
			defer p.Close()
			b := &book{}
			h := agents.New(t.Context(), options(script(everything), b),
				[]agents.Server{{Name: "bad", Proxy: p}, served("sums", reckon, "add")})
			defer h.Close()
			answer, err := h.Work(t.Context(), "the goal", "", nil)
			require.NoError(t, err)
			require.Equal(t, 2, strings.Count(answer, "\n23"), answer)
			if len(h.Down()) > 0 {
				require.Regexp(t, want, h.Down()[0].Err)
				require.Contains(t, answer, "cannot be reached")
				require.Contains(t, answer, `"bad"`)
			} else {
				found := regexp.MustCompile(want).FindAllString(answer, -1)
				require.Len(t, found, 2, answer)
			}
		})
	}
}

// silent is a server that never answers one method.
type silent struct {
	plainServer
	method string
}

func (s silent) HandleMessage(ctx context.Context, in json.RawMessage) mcp.JSONRPCMessage {
	var m struct{ Method string }
	_ = json.Unmarshal(in, &m)
	if m.Method == s.method {
		<-ctx.Done()
		return nil
	}
	return s.plainServer.HandleMessage(ctx, in)
}

func TestAServerThatHangsAtTheBeginningIsNamedAndGivenUp(t *testing.T) {
	for _, method := range []string{"server/discover", "tools/list"} {
		synctest.Test(t, func(t *testing.T) {
			told := make(chan string, 9)
			plain := served("mute", reckon, "x").Proxy.(plainServer)
			o := options(nil, &book{})
			o.Observe = func(e agents.Event) { told <- e.Kind + " " + e.Name }
			began := time.Now()
			h := agents.New(t.Context(), o, []agents.Server{served("sums", reckon, "add"),
				{Name: "mute", Proxy: silent{plain, method}}})
			defer h.Close()
			require.Len(t, told, 1)
			require.Equal(t, "slow mute", <-told)
			if len(h.Down()) == 0 { // it knows the older handshake
				require.Equal(t, "server/discover", method)
				return
			}
			require.Equal(t, time.Minute, time.Since(began))
			require.EqualError(t, h.Down()[0].Err, "its tools were not listed within 1m0s")
			require.Len(t, h.Tools(), 1)
		})
	}
}
