package main

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
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
