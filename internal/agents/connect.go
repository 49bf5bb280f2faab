package agents

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client"
	clienttransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/text"
)

// connection is a client of a server behind a proxy.
type connection struct {
	Server
	client *client.Client
	tools  []listedTool
	end    func()
	calls  sync.Map // of made, by number, while they are made
	last   atomic.Int64
}

// connect opens a connection to a server and lists its tools.
func connect(ctx context.Context, s Server) (*connection, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &connection{Server: s}
	var serving sync.WaitGroup
	serving.Go(func() {
		err := transport.ServeStdio(life, told{s.Proxy, &c.calls}, fromClient, toClient, nil)
		toClient.CloseWithError(cause(err))
		fromClient.CloseWithError(cause(err))
	})
	wire := &lenient{Stdio: clienttransport.NewIO(fromServer, toServer, nil)}
	c.client = client.NewClient(wire)
	c.end = func() {
		_ = c.client.Close() // in any case the pipes are closed below
		cancel()
		toServer.Close()
		serving.Wait()
	}
	if err := c.begin(ctx); err != nil {
		c.end()
		return nil, errors.New(errorText(err))
	}
	c.listPrompts(ctx)
	c.tools = wire.tools
	return c, nil
}

func cause(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

func (c *connection) begin(ctx context.Context) error {
	if err := c.client.Start(ctx); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "taploop host", Version: "1"}
	if _, err := c.client.Initialize(ctx, hello); err != nil {
		return err
	}
	_, err := c.client.ListTools(ctx, mcp.ListToolsRequest{}) // wire keeps them
	return err
}

// errorText returns a server's error message without the name of its code.
func errorText(err error) string {
	if wrapped, ok := errors.AsType[*clienttransport.Error](err); ok {
		err = wrapped.Err
	}
	return strings.TrimPrefix(text.Cut(text.Lines(err.Error()), 1000),
		mcp.ErrInternalError.Error()+": ")
}

// call calls a tool. It returns the result as text. failed reports whether the server marked the
// result as an error.
func (c *connection) call(ctx context.Context, behalf transport.Behalf, name string,
	args json.RawMessage) (
	words string, failed bool, err error) {
	n := c.last.Add(1)
	c.calls.Store(n, made{behalf, inquiry.PartOf(ctx)})
	defer c.calls.Delete(n)
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = name, args
	r.Params.Meta = &mcp.Meta{AdditionalFields: map[string]any{madeKey: n}}
	result, err := c.client.CallTool(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			return "", false, context.Cause(ctx)
		}
		return "the call failed: " + errorText(err), true, nil
	}
	for _, c := range result.Content { // wire has joined them into one
		words += c.(mcp.TextContent).Text
	}
	return words, result.IsError, nil
}
