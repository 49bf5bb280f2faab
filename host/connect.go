package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcptransport"
	"github.com/taploop/taploop/internal/text"
)

// connection is a client of a server, through what stands in front of it.
type connection struct {
	Server
	client *client.Client
	tools  []mcp.Tool
	end    func()
}

// connect begins a conversation with a server and reads the list of its tools.
func connect(ctx context.Context, s Server) (*connection, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &connection{Server: s}
	var serving sync.WaitGroup
	serving.Go(func() {
		err := mcptransport.ServeStdio(life, s.Face, fromClient, toClient, nil)
		toClient.CloseWithError(cause(err))
		fromClient.CloseWithError(cause(err))
	})
	c.client = client.NewClient(transport.NewIO(fromServer, toServer, nil))
	c.end = func() {
		_ = c.client.Close() // the pipes end below in any case
		cancel()
		toServer.Close()
		serving.Wait()
	}
	if err := c.begin(ctx); err != nil {
		c.end()
		return nil, err
	}
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
	list, err := c.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err == nil {
		c.tools = list.Tools
	}
	return err
}

// call calls a tool. The text is what the server answers, in words; failed is what it says of that.
func (c *connection) call(ctx context.Context, name string, args json.RawMessage) (
	words string, failed bool, err error) {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = name, args
	result, err := c.client.CallTool(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			return "", false, context.Cause(ctx)
		}
		return "the call failed: " + text.Cut(text.Lines(err.Error()), 1000), true, nil
	}
	return wordsOf(result), result.IsError, nil
}

// wordsOf is a result as text. Pictures and sounds are named.
func wordsOf(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case mcp.TextContent:
			parts = append(parts, c.Text)
		case mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("(a picture, %s)", c.MIMEType))
		case mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("(a sound, %s)", c.MIMEType))
		case mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("(a resource: %s %s)", c.Name, c.URI))
		case mcp.EmbeddedResource:
			if t, ok := c.Resource.(mcp.TextResourceContents); ok {
				parts = append(parts, t.Text)
			}
		}
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if b, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(b))
		}
	}
	if len(parts) == 0 {
		return "(the result is empty)"
	}
	return strings.Join(parts, "\n")
}
