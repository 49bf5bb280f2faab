package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/transport"
)

func addResources(srv *server.MCPServer) {
	for uri, contents := range map[string]mcp.ResourceContents{
		"test://static-text": mcp.TextResourceContents{
			URI: "test://static-text", MIMEType: "text/plain",
			Text: "This is the content of the static text resource."},
		"test://static-binary": mcp.BlobResourceContents{
			URI: "test://static-binary", MIMEType: "image/png", Blob: picture},
		"test://watched-resource": mcp.TextResourceContents{
			URI: "test://watched-resource", MIMEType: "text/plain", Text: "It never changes."},
	} {
		srv.AddResource(mcp.NewResource(uri, strings.TrimPrefix(uri, "test://"),
			mcp.WithResourceDescription("A fixed resource.")),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{contents}, nil
			})
	}
	srv.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template",
		mcp.WithTemplateDescription("A resource with an id.")), byID)
}

func byID(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.Params.URI, "test://template/"), "/")
	data, err := json.Marshal(map[string]any{"id": id, "templateTest": true,
		"data": "Data for ID: " + id})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", r.Params.URI, err)
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI,
		MIMEType: "application/json", Text: string(data)}}, nil
}

func says(contents ...mcp.Content) *mcp.GetPromptResult {
	r := &mcp.GetPromptResult{}
	for _, c := range contents {
		r.Messages = append(r.Messages, mcp.NewPromptMessage(mcp.RoleUser, c))
	}
	return r
}

func addPrompts(srv *server.MCPServer) {
	srv.AddPrompt(mcp.NewPrompt("test_simple_prompt",
		mcp.WithPromptDescription("Says a sentence.")),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(mcp.NewTextContent("This is a simple prompt for testing.")), nil
		})
	srv.AddPrompt(mcp.NewPrompt("test_prompt_with_arguments",
		mcp.WithPromptDescription("Says its arguments."),
		mcp.WithArgument("arg1", mcp.ArgumentDescription("First test argument"),
			mcp.RequiredArgument()),
		mcp.WithArgument("arg2", mcp.ArgumentDescription("Second test argument"),
			mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(mcp.NewTextContent(fmt.Sprintf(
				"Prompt with arguments: arg1='%s', arg2='%s'", r.Params.Arguments["arg1"],
				r.Params.Arguments["arg2"]))), nil
		})
	srv.AddPrompt(mcp.NewPrompt("test_prompt_with_embedded_resource",
		mcp.WithPromptDescription("Embeds a resource."),
		mcp.WithArgument("resourceUri", mcp.ArgumentDescription("URI of the resource to embed"),
			mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(mcp.NewEmbeddedResource(mcp.TextResourceContents{
				URI: r.Params.Arguments["resourceUri"], MIMEType: "text/plain",
				Text: "Embedded resource content for testing."}),
				mcp.NewTextContent("Please process the embedded resource above.")), nil
		})
	srv.AddPrompt(mcp.NewPrompt("test_prompt_with_image",
		mcp.WithPromptDescription("Shows a picture.")),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(mcp.NewImageContent(picture, "image/png"),
				mcp.NewTextContent("Please analyze the image above.")), nil
		})
	srv.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt",
		mcp.WithPromptDescription("Asks for its context.")), byContext)
}

func byContext(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	tool := mcp.CallToolRequest{}
	tool.Params.MultiRoundTripParams = r.Params.MultiRoundTripParams
	if answer := transport.Answer(tool, "user_context"); answer != nil {
		return says(mcp.NewTextContent(fmt.Sprint("context: ", answer.Content))), nil
	}
	return server.NewInputRequestBuilder("").
		Elicit("user_context", askFor("What context should the prompt use?", "context",
			"string")).PromptResult(), nil
}
