package main

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcptransport"
	"github.com/taploop/taploop/internal/wait"
)

// pause is how long the suite wants tools to wait between notifications.
const pause = 50 * time.Millisecond

// addCallTools adds the tools that report while they run, and those that change what there is.
func addCallTools(srv *server.MCPServer) {
	srv.AddTool(mcp.NewTool("test_tool_with_progress",
		mcp.WithDescription("Reports progress three times.")), progress)
	for _, name := range []string{"test_tool_with_logging", "test_logging_tool"} {
		srv.AddTool(mcp.NewTool(name, mcp.WithDescription("Logs three times.")),
			func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return logging(ctx, srv)
			})
	}
	srv.AddTool(mcp.NewTool("test_trigger_tool_change",
		mcp.WithDescription("Changes the list of tools.")),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			srv.AddTool(mcp.NewTool("test_passing", mcp.WithDescription("Comes and goes.")), nil)
			srv.DeleteTools("test_passing")
			return text("changed"), nil
		})
	srv.AddTool(mcp.NewTool("test_trigger_prompt_change",
		mcp.WithDescription("Changes the list of prompts.")),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			srv.AddPrompt(mcp.NewPrompt("test_passing",
				mcp.WithPromptDescription("Comes and goes.")), nil)
			srv.DeletePrompts("test_passing")
			return text("changed"), nil
		})
}

func progress(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var token any
	if r.Params.Meta != nil {
		token = r.Params.Meta.ProgressToken
	}
	for _, percent := range []float64{0, 50, 100} {
		if percent > 0 {
			if err := wait.For(ctx, pause); err != nil {
				return nil, err
			}
		}
		if err := mcptransport.Progress(ctx, token, percent, 100, "", nil); err != nil {
			return nil, err
		}
	}
	return text("done"), nil
}

func logging(ctx context.Context, srv *server.MCPServer) (*mcp.CallToolResult, error) {
	for i, message := range []string{"Tool execution started", "Tool processing data",
		"Tool execution completed"} {
		if i > 0 {
			if err := wait.For(ctx, pause); err != nil {
				return nil, err
			}
		}
		if err := srv.SendLogMessageToClient(ctx,
			mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "conformance",
				message)); err != nil {
			return nil, err
		}
	}
	return text("done"), nil
}
