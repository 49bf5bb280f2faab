package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
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
