package conformance

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/wait"
)

const (
	// picture is a red point as PNG, in base64.
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAAEElEQVR4nGL6z8AACAAA//8DCQECWLbV" +
		"UAAAAABJRU5ErkJggg=="
	// silence is one sample of nothing as WAV, in base64.
	silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
)

func result(content ...mcp.Content) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: content}
}

func text(s string) *mcp.CallToolResult { return mcp.NewToolResultText(s) }

// addContentTools adds the tools that return one thing and do nothing.
func addContentTools(srv *server.MCPServer) {
	embedded := mcp.NewEmbeddedResource(mcp.TextResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain",
		Text: "This is an embedded resource content."})
	mixed := mcp.NewEmbeddedResource(mcp.TextResourceContents{
		URI: "test://mixed-content-resource", MIMEType: "application/json",
		Text: `{"test":"data","value":123}`})
	for name, r := range map[string]*mcp.CallToolResult{
		"test_simple_text":       text("This is a simple text response for testing."),
		"test_image_content":     result(mcp.NewImageContent(picture, "image/png")),
		"test_audio_content":     result(mcp.NewAudioContent(silence, "audio/wav")),
		"test_embedded_resource": result(embedded),
		"test_multiple_content_types": result(
			mcp.NewTextContent("Multiple content types test:"),
			mcp.NewImageContent(picture, "image/png"), mixed),
		"test_error_handling": mcp.NewToolResultError(
			"This tool intentionally returns an error for testing"),
	} {
		srv.AddTool(mcp.NewTool(name, mcp.WithDescription("Returns a fixed result.")),
			func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return r, nil
			})
	}
	nothing := func(context.Context, mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		return text("done"), nil
	}
	srv.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool",
		"Has a schema with many keywords.", json.RawMessage(richSchema)), nothing)
	srv.AddTool(mcp.NewTool("test_custom_headers",
		mcp.WithDescription("Has a parameter that is mirrored in a header."),
		mcp.WithString("region", mcp.Required(),
			func(schema map[string]any) { schema["x-mcp-header"] = "Region" })), nothing)
}

const richSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object",
		"properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"}, "email": {"type": "string"}},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]}, "else": {"required": ["email"]},
	"additionalProperties": false
}`

// pause is how long the suite wants tools to wait between notifications.
const pause = 50 * time.Millisecond

// addCallTools adds the tools that report while they run, and tools that change the lists.
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
		if err := transport.Progress(ctx, token, percent, 100, "", nil); err != nil {
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
