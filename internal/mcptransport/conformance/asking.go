package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcptransport"
)

type schema = map[string]any

func object(required []string, properties schema) schema {
	s := schema{"type": "object", "properties": properties}
	if required != nil {
		s["required"] = required
	}
	return s
}

func kind(name string) schema { return schema{"type": name} }

// addAskingTools adds the tools that ask the client while they run, as 2025-11-25 and older have
// it.
func addAskingTools(srv *server.MCPServer) {
	srv.AddTool(mcp.NewTool("test_sampling", mcp.WithDescription("Asks the client's model."),
		mcp.WithString("prompt", mcp.Required())),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			params, err := json.Marshal(sampling(r.GetString("prompt", ""), 100))
			if err != nil {
				return nil, err
			}
			sample, err := mcptransport.Ask(ctx, string(mcp.MethodSamplingCreateMessage), params)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return text("LLM response: " + string(sample)), nil
		})
	srv.AddTool(mcp.NewTool("test_elicitation", mcp.WithDescription("Asks the user."),
		mcp.WithString("message", mcp.Required())),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return elicit(ctx, "User response: action=%s, content=%v", mcp.ElicitationParams{
				Message: r.GetString("message", ""),
				RequestedSchema: object([]string{"username", "email"},
					schema{"username": kind("string"), "email": kind("string")}),
			})
		})
	for name, properties := range map[string]schema{
		"test_elicitation_sep1034_defaults": defaults, "test_elicitation_sep1330_enums": enums,
	} {
		srv.AddTool(mcp.NewTool(name, mcp.WithDescription("Asks the user.")),
			func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return elicit(ctx, "Elicitation completed: action=%s, content=%v",
					mcp.ElicitationParams{
						Message:         "Please fill in the form",
						RequestedSchema: object(nil, properties)})
			})
	}
}

func elicit(ctx context.Context, format string,
	question mcp.ElicitationParams) (*mcp.CallToolResult, error) {
	answer, err := mcptransport.Elicit(ctx, question)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return text(fmt.Sprintf(format, answer.Action, answer.Content)), nil
}

func sampling(prompt string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}},
		MaxTokens: tokens,
	}
}

var defaults = schema{
	"name":  schema{"type": "string", "default": "John Doe"},
	"age":   schema{"type": "integer", "default": 30},
	"score": schema{"type": "number", "default": 95.5},
	"status": schema{"type": "string", "enum": []string{"active", "inactive", "pending"},
		"default": "active"},
	"verified": schema{"type": "boolean", "default": true},
}

func titled(values ...string) (options []schema) {
	for i := 0; i < len(values); i += 2 {
		options = append(options, schema{"const": values[i], "title": values[i+1]})
	}
	return options
}

var enums = schema{
	"untitledSingle": schema{"type": "string", "enum": []string{"option1", "option2", "option3"}},
	"titledSingle": schema{"type": "string",
		"oneOf": titled("value1", "First Option", "value2", "Second Option", "value3",
			"Third Option")},
	"legacyEnum": schema{"type": "string", "enum": []string{"opt1", "opt2", "opt3"},
		"enumNames": []string{"Option One", "Option Two", "Option Three"}},
	"untitledMulti": schema{"type": "array", "items": schema{"type": "string",
		"enum": []string{"option1", "option2", "option3"}}},
	"titledMulti": schema{"type": "array", "items": schema{
		"anyOf": titled("value1", "First Choice", "value2", "Second Choice", "value3",
			"Third Choice")}},
}
