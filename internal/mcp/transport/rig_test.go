package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/patient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lab is a server with tools that do what a test asks for.
type lab struct {
	*server.MCPServer
	entered chan string // arguments "name" of gate calls that have begun
	ended   chan error  // why the contexts of gate calls ended
	open    chan struct{}
}

func newLab() *lab {
	l := &lab{
		MCPServer: server.NewMCPServer("lab", "1", server.WithToolCapabilities(true),
			server.WithLogging(), server.WithElicitation()),
		entered: make(chan string, 4096), ended: make(chan error, 4096),
		open: make(chan struct{}),
	}
	l.AddTool(mcp.NewTool("nothing"), func(context.Context,
		mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("done"), nil
	})
	l.AddTool(mcp.NewTool("burst", mcp.WithNumber("n")), l.burst)
	l.AddTool(mcp.NewTool("mixed"), l.mixed)
	l.AddTool(mcp.NewTool("gate", mcp.WithString("name")), l.gate)
	l.AddTool(mcp.NewTool("panic"), func(context.Context, mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		panic("secret")
	})
	l.AddTool(mcp.NewTool("unwritable"), func(context.Context,
		mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultStructured(map[string]any{"f": func() {}}, "text"), nil
	})
	l.AddTool(mcp.NewTool("ask", mcp.WithString("question")), l.ask)
	l.AddTool(mcp.NewTool("form", mcp.WithString("question")), l.form)
	l.AddTool(mcp.NewTool("whoami"), func(ctx context.Context,
		_ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(fmt.Sprintf("principal %q, elicits %v, stateless %v",
			Principal(ctx), CanElicit(ctx), Stateless(ctx))), nil
	})
	l.AddTool(mcp.NewTool("region", mcp.WithString("region", withHeader("Region"))),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("done"), nil
		})
	return l
}

func withHeader(name string) mcp.PropertyOption {
	return func(schema map[string]any) { schema["x-mcp-header"] = name }
}

func token(r mcp.CallToolRequest) any {
	if r.Params.Meta == nil {
		return nil
	}
	return r.Params.Meta.ProgressToken
}

// burst reports n times and returns at once.
func (l *lab) burst(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	n := r.GetInt("n", 3)
	for i := range n {
		if err := Progress(ctx, token(r), float64(i+1), float64(n), fmt.Sprint("step ", i+1),
			map[string]any{"step": i + 1}); err != nil {
			return nil, err
		}
	}
	return mcp.NewToolResultText("done"), nil
}

// mixed sends by all ways that mcp-go and this package have, in turn.
func (l *lab) mixed(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	srv := server.ServerFromContext(ctx)
	for i := range 3 {
		_ = Progress(ctx, token(r), float64(2*i+1), 0, "", nil)
		_ = srv.SendNotificationToClient(ctx, "notifications/progress",
			map[string]any{"progressToken": token(r), "progress": 2*i + 2})
		_ = srv.SendLogMessageToClient(ctx,
			mcp.NewLoggingMessageNotification(mcp.LoggingLevelWarning, "lab", i))
	}
	return mcp.NewToolResultText("done"), nil
}

// gate says that it has begun, and waits until it is opened or its context ends.
func (l *lab) gate(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_ = Progress(ctx, token(r), 1, 0, "begun", nil)
	l.entered <- r.GetString("name", "")
	select {
	case <-l.open:
		_ = Progress(ctx, token(r), 2, 0, "opened", nil)
		return mcp.NewToolResultText("opened"), nil
	case <-ctx.Done():
		cause := Closed(ctx)
		l.ended <- cause
		return mcp.NewToolResultText(fmt.Sprintf("detached: %v", cause)), nil
	}
}

func question(text string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: text, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{"answer": map[string]any{"type": "string"}},
	}}
}

// ask asks the user, for an hour at most.
func (l *lab) ask(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Hour,
		errors.New("nobody answered within an hour"))
	defer cancel()
	answer, err := Elicit(ctx, question(r.GetString("question", "Which?")))
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return mcp.NewToolResultText(fmt.Sprint(answer.Action, " ", answer.Content)), nil
}

// form asks by a result.
func (l *lab) form(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if a := Answer(r, "q1"); a != nil {
		return mcp.NewToolResultText(fmt.Sprint(a.Action, " ", a.Content, " ",
			r.Params.RequestState)), nil
	}
	return InputRequired("state-1", "q1", question(r.GetString("question", "Which?"))), nil
}

// endpoint serves HTTP without a network, so that it works in a synctest bubble too.
type endpoint struct {
	t        testing.TB
	h        *HTTP
	client   *http.Client
	listener *pipeListener
}

func serveHTTP(t testing.TB, srv Server, opts *Options) *endpoint {
	t.Helper()
	e := &endpoint{t: t, h: NewHTTP(srv, opts), listener: newPipeListener()}
	web := &http.Server{Handler: e.h}
	served := make(chan error, 1)
	go func() { served <- web.Serve(e.listener) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (
		net.Conn, error) {
		return e.listener.dial(ctx)
	}}
	e.client = &http.Client{Transport: transport}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patient.Lid)
		defer cancel()
		require.NoError(t, e.h.Close(ctx))
		transport.CloseIdleConnections()
		require.NoError(t, web.Close())
		<-served
	})
	return e
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1),
		Port: 8702}
}

// request sends one HTTP request; header lines are "Name: value".
func (e *endpoint) request(ctx context.Context, method, body string,
	header ...string) *http.Response {
	e.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:8702/mcp",
		strings.NewReader(body))
	require.NoError(e.t, err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	resp, err := e.client.Do(r)
	require.NoError(e.t, err)
	return resp
}

// status sends one HTTP request and gives the status and the body of its answer.
func (e *endpoint) status(method, body string, header ...string) (int, string) {
	e.t.Helper()
	resp := e.request(context.Background(), method, body, header...)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(e.t, err)
	return resp.StatusCode, string(data)
}

const handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,` +
	`"capabilities":%s,"clientInfo":{"name":"test","version":"1"}}}`

// session begins one and gives the headers of its requests.
func (e *endpoint) session(version, capabilities string, header ...string) []string {
	e.t.Helper()
	resp := e.request(context.Background(), http.MethodPost,
		fmt.Sprintf(handshake, version, capabilities), header...)
	defer resp.Body.Close()
	require.Equal(e.t, http.StatusOK, resp.StatusCode)
	id := resp.Header.Get("Mcp-Session-Id")
	require.NotEmpty(e.t, id)
	return append(header, "Mcp-Session-Id: "+id, "Mcp-Protocol-Version: "+version)
}

// tool is a call of a tool with a progress token.
func tool(id any, name, arguments string) string {
	data, _ := json.Marshal(id)
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,`+
			`"_meta":{"progressToken":%s}}}`, data, name, arguments, data)
}

// modern is a call of a tool under 2026-07-28, with the headers that it needs.
func modern(id any, name, arguments string) (body string, header []string) {
	data, _ := json.Marshal(id)
	body = fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,`+
			`"_meta":{"progressToken":%s,`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`, data, name,
		arguments, data)
	return body, []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call",
		"Mcp-Name: " + name}
}

// sent is one Server-Sent Event as it was sent.
type sent struct {
	id, data string
	comment  bool
}

// events reads the events of a stream.
type events struct {
	t    testing.TB
	body io.ReadCloser
	r    *bufio.Reader
}

func readEvents(t testing.TB, resp *http.Response) *events {
	t.Helper()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	return &events{t, resp.Body, bufio.NewReader(resp.Body)}
}

// next is the next event or comment; ok is false at the end of the stream.
func (es *events) next() (e sent, ok bool) {
	es.t.Helper()
	for {
		line, err := es.r.ReadString('\n')
		if err != nil {
			require.ErrorIs(es.t, err, io.EOF)
			return sent{}, false
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			return e, true
		case strings.HasPrefix(line, ":"):
			e.comment = true
		default:
			name, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch name {
			case "id":
				e.id = value
			case "data":
				e.data = value
			}
		}
	}
}

// message is the next event with data.
func (es *events) message() sent {
	es.t.Helper()
	for {
		e, ok := es.next()
		require.True(es.t, ok, "the stream ended")
		if e.data != "" {
			return e
		}
	}
}

// rest is the data of all further events up to the end.
func (es *events) rest() (all []string) {
	es.t.Helper()
	for {
		e, ok := es.next()
		if !ok {
			return all
		}
		if e.data != "" {
			all = append(all, e.data)
		}
	}
}

// stdioWire is a client at the other end of ServeStdio.
type stdioWire struct {
	t      testing.TB
	in     *io.PipeWriter
	out    *bufio.Reader
	served chan error
	cancel context.CancelFunc
}

func serveStdio(t testing.TB, srv Server, opts *Options) *stdioWire {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	w := &stdioWire{t: t, in: in, out: bufio.NewReader(out), served: make(chan error, 1),
		cancel: cancel}
	go func() {
		w.served <- ServeStdio(ctx, srv, fromClient, toClient, opts)
		_ = toClient.Close()
	}()
	t.Cleanup(func() {
		cancel()
		_ = in.Close()
		_ = out.Close()
		_ = fromClient.Close()
	})
	return w
}

func (w *stdioWire) send(lines ...string) {
	w.t.Helper()
	for _, l := range lines {
		_, err := io.WriteString(w.in, l+"\n")
		require.NoError(w.t, err)
	}
}

// line is the next line that the server writes.
func (w *stdioWire) line() string {
	w.t.Helper()
	l, err := w.out.ReadString('\n')
	require.NoError(w.t, err)
	return strings.TrimSuffix(l, "\n")
}

// handshake does the handshake.
func (w *stdioWire) handshake(version, capabilities string) {
	w.t.Helper()
	w.send(fmt.Sprintf(handshake, version, capabilities))
	require.Contains(w.t, w.line(), `"result"`)
}

// compact puts JSON into one form, so that texts can be compared.
func compact(t testing.TB, data string) string {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(data)))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), data)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

// stubbornTool waits for release, whatever becomes of its context.
func stubbornTool(release <-chan struct{}) (mcp.Tool, server.ToolHandlerFunc) {
	return mcp.NewTool("stubborn"), func(context.Context, mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		<-release
		return mcp.NewToolResultText("done"), nil
	}
}

// valueTool returns what its context has below key.
func valueTool(key any) (mcp.Tool, server.ToolHandlerFunc) {
	return mcp.NewTool("value"), func(ctx context.Context,
		_ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(fmt.Sprint(ctx.Value(key))), nil
	}
}
