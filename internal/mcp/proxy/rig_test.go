package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/patient"
)

// TestMain makes this binary the other server, a real process, when it is started as one.
func TestMain(m *testing.M) {
	switch os.Getenv("PROXY_UPSTREAM") {
	case "":
		os.Exit(m.Run())
	case "garbage":
		fmt.Println("Listening on", os.Getenv("SERVER_TOKEN"))
		fmt.Println(`{"jsonrpc":"2.0","id":4711,"result":{}}`)
		fmt.Fprintln(os.Stderr, "token", os.Getenv("SERVER_TOKEN"))
	case "proxy":
		if err := asProxy(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	case "flood", "foreign", "batches":
		line := map[string]string{"flood": `{"jsonrpc":"2.0","method":"notifications/x"}`,
			"foreign": `{"jsonrpc":"2.0","id":4711,"result":{}}`, "batches": "[]"}
		go func() {
			for err := error(nil); err == nil; {
				_, err = fmt.Println(line[os.Getenv("PROXY_UPSTREAM")])
			}
		}()
		_, _ = io.Copy(io.Discard, os.Stdin)
		select {} // it does not end by itself
	case "progress":
		in := bufio.NewScanner(os.Stdin)
		for n := 0; in.Scan(); {
			token := wire.At(in.Bytes(), "params", "_meta", "progressToken")
			for err := error(nil); token != nil && err == nil; n++ {
				_, err = fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/progress",`+
					`"params":{"progressToken":%s,"progress":%d}}`+"\n", token, n)
			}
		}
	case "line":
		for err := error(nil); err == nil; {
			_, err = os.Stdout.Write(make([]byte, 1<<20)) // without an end
		}
	case "blind":
		time.Sleep(time.Hour)
	case "deaf":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "left":
		time.Sleep(2 * patience) // longer than a test waits
		return
	case "leaves": // another process, which holds its output
		if err := leave(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "talks": // after the handshake
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		_, err := fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		for err == nil {
			_, err = fmt.Println(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		}
	case "mute":
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		_ = os.Stdout.Close()
		time.Sleep(time.Hour)
	}
	err := transport.ServeStdio(context.Background(), speaking(other(),
		os.Getenv("PROXY_UPSTREAM")), os.Stdin, os.Stdout, inOrder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// inOrder are the options of servers that keep the order of calls.
var inOrder = &transport.Options{InOrder: true, MaxCalls: 2000}

// other is the other server.
func other() *server.MCPServer {
	var sessions sync.Map
	var hooks server.Hooks
	hooks.AddOnRegisterSession(func(_ context.Context, s server.ClientSession) {
		sessions.Store(s.SessionID(), s)
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, s server.ClientSession) {
		sessions.Delete(s.SessionID())
	})
	s := server.NewMCPServer("other", "1.0", server.WithToolCapabilities(true),
		server.WithLogging(), server.WithElicitation(), server.WithResourceCapabilities(true, true),
		server.WithHooks(&hooks))
	s.AddResource(mcp.NewResource("x:1", "one"), func(context.Context, mcp.ReadResourceRequest) (
		[]mcp.ResourceContents, error) {
		return nil, nil
	})
	add := func(t mcp.Tool, f server.ToolHandlerFunc) {
		if t.Name != "shred" { // mcp-go says it of every tool
			t.Annotations.DestructiveHint = new(false)
		}
		s.AddTool(t, f)
	}
	add(mcp.NewTool("echo", mcp.WithString("text", mcp.Required())), say)
	add(mcp.NewTool("send_message", mcp.WithDescription("Sends."),
		mcp.WithString("text", mcp.Required()), mcp.WithNumber("times")), say)
	add(mcp.NewTool("shred", mcp.WithDestructiveHintAnnotation(true)), say)
	add(mcp.NewTool("forbidden"), say)
	add(mcp.NewTool("die"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult,
		error) {
		fmt.Fprintln(os.Stderr, "dying with", os.Getenv("SERVER_TOKEN"))
		os.Exit(3)
		return nil, nil
	})
	add(mcp.NewTool("token"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult,
		error) {
		return mcp.NewToolResultText("it is " + os.Getenv("SERVER_TOKEN")), nil
	})
	add(mcp.NewTool("hang"), func(ctx context.Context, _ mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		<-ctx.Done()
		_ = os.WriteFile(os.Getenv("SERVER_LOG"), []byte("cancelled"), 0o600)
		return mcp.NewToolResultText("cancelled"), nil
	})
	add(mcp.NewTool("ask"), func(ctx context.Context, of mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		r, err := transport.Elicit(ctx, mcp.ElicitationParams{
			Message: fmt.Sprint("which? ", of.GetArguments()["n"]),
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{
				"x": map[string]any{"type": "string"}}}})
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(fmt.Sprint(r.Action, " ", r.Content)), nil
	})
	add(mcp.NewTool("send_when"), func(ctx context.Context, r mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		if answer := transport.Answer(r, "when"); answer != nil {
			return mcp.NewToolResultText(fmt.Sprint(r.GetArguments(), answer.Content,
				r.Params.RequestState)), nil
		}
		return transport.InputRequired("mine", "when", mcp.ElicitationParams{Message: "when?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{
				"at": map[string]any{"type": "string"}}}}), nil
	})
	add(mcp.NewTool("grow"), func(ctx context.Context, r mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		sessions.Range(func(_, s any) bool {
			s.(interface{ Updated(...string) }).Updated("x:1")
			return true
		})
		s.SendNotificationToAllClients(mcp.MethodNotificationPromptsListChanged, nil)
		add(mcp.NewTool("grown"), say)
		return say(ctx, r)
	})
	add(mcp.NewTool("steps"), func(ctx context.Context, r mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		for i := range 3 {
			err := transport.Progress(ctx, r.Params.Meta.ProgressToken, float64(i+1), 3, "", nil)
			if err != nil {
				return nil, err
			}
		}
		return say(ctx, r)
	})
	return s
}

// say answers with the arguments, and notes the call in a file when there is one.
func say(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	raw, err := json.Marshal(r.GetArguments())
	if err != nil {
		return nil, err
	}
	if path := os.Getenv("SERVER_LOG"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		fmt.Fprintf(f, "%s %s\n", r.Params.Name, raw)
	}
	if pid, err := strconv.Atoi(os.Getenv("PROXY_PID")); err == nil &&
		r.GetArguments()["text"] == "kill" {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // nothing is answered any more
		}
	}
	return mcp.NewToolResultText(r.Params.Name + " " + string(raw)), nil
}

const secret = "s3cret-of-the-server"

// rig is a proxy over stdio in front of a real process or a real HTTP server, and its client.
type rig struct {
	t     *testing.T
	p     *Proxy
	ask   *inquiry.Broker
	log   string // what the other server carried out
	in    io.WriteCloser
	lines chan string
	last  int
	mu    sync.Mutex
}

// broker is one over questions in memory.
func broker() *inquiry.Broker { return inquiry.NewBroker(new(inquirytest.Memory), nil) }

func newRig(t *testing.T, change func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, ask: broker(), log: filepath.Join(t.TempDir(), "log"),
		lines: make(chan string, 10000)}
	rules, err := guard.New(&guard.Options{Lists: []guard.List{{Name: "rules", Rules: []guard.Rule{
		{Action: []string{"forbidden"}, App: []string{"other"}, Decision: "deny",
			Description: "it is not for you"},
		{Action: []string{"by_hand"}, Decision: "takeover"}}}}})
	require.NoError(t, err)
	exe, err := os.Executable()
	require.NoError(t, err)
	o := &Options{Name: "other", Guard: rules, Questions: r.ask, Stdio: true,
		Channels: []string{inquiry.ChannelCommandLine},
		Wait:     func(string) time.Duration { return 10 * time.Second },
		Target: upstream.Target{Command: []string{exe}, Secrets: []string{secret},
			Env: append(os.Environ(), "PROXY_UPSTREAM=plain", "SERVER_LOG="+r.log,
				"SERVER_TOKEN="+secret)}}
	if change != nil {
		change(o)
	}
	r.p, err = New(o)
	require.NoError(t, err)
	r.serve()
	return r
}

// overHTTP puts an HTTP server in the place of the process.
func overHTTP(t *testing.T) func(*Options) {
	h := transport.NewHTTP(other(), inOrder)
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		require.NoError(t, h.Close(context.Background()))
		web.CloseClientConnections()
		web.Close()
	})
	return func(o *Options) { o.Target = upstream.Target{URL: web.URL} }
}

func (r *rig) serve() {
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	r.in = in
	served := make(chan error, 1)
	go func() {
		served <- transport.ServeStdio(context.Background(), r.p, fromClient, toClient, nil)
		_ = toClient.Close()
	}()
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			r.lines <- lines.Text()
		}
		close(r.lines)
	}()
	r.t.Cleanup(func() {
		require.NoError(r.t, in.Close())
		<-served
		r.p.Close()
		require.Empty(r.t, r.p.links)
	})
}

func (r *rig) send(line string) {
	r.t.Helper()
	_, err := io.WriteString(r.in, line+"\n")
	require.NoError(r.t, err)
}

// patience is how long a test waits for something to happen. A busy machine is slow, a fault is
// silent.
const patience = patient.Lid

// next is the next message that the client gets.
func (r *rig) next() string {
	r.t.Helper()
	select {
	case line, ok := <-r.lines:
		require.True(r.t, ok, "the proxy has ended")
		return line
	case <-time.After(patience):
		r.t.Fatal("no message came")
		return ""
	}
}

func (r *rig) shake(caps string) string {
	r.t.Helper()
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"shake","method":"initialize","params":`+
		`{"protocolVersion":"2025-11-25","capabilities":%s,`+
		`"clientInfo":{"name":"tester","version":"1"}}}`, caps))
	answer := r.next()
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

// start sends a call; extra are more members of its params.
func (r *rig) start(name, args, extra string) (id int) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":`+
		`{"name":%q,"arguments":%s%s}}`, r.last, name, args, extra))
	return r.last
}

// result waits for the result of a call, as text.
func (r *rig) result(id int) string {
	r.t.Helper()
	line := r.next()
	require.Contains(r.t, line, fmt.Sprintf(`"id":%d,`, id))
	return words(r.t, line)
}

func words(t *testing.T, line string) string {
	t.Helper()
	var m struct {
		Result *struct {
			Content []struct{ Type, Text string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(line), &m))
	require.NotNil(t, m.Result, line)
	var all []string
	for _, c := range m.Result.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// asked waits for a question that is open.
func (r *rig) asked() inquiry.Question {
	r.t.Helper()
	var found inquiry.Question
	require.Eventually(r.t, func() bool {
		list, err := r.ask.List(context.Background(), inquiry.Filter{Status: inquiry.Pending})
		require.NoError(r.t, err)
		if len(list) > 0 {
			found = list[0]
		}
		return len(list) > 0
	}, patience, time.Millisecond)
	return found
}

func (r *rig) decide(q inquiry.Question, d inquiry.Decision) error {
	_, err := r.ask.Resolve(context.Background(), q.ID, inquiry.Reply{
		Type: inquiry.TypeDecisions, Decisions: []inquiry.Decision{d},
		Channel: inquiry.ChannelCommandLine, Authority: inquiry.AuthorityLocalOperator})
	return err
}

// done is what the other server has carried out.
func (r *rig) done() string {
	b, err := os.ReadFile(r.log)
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(r.t, err)
	return string(b)
}
