package conformance

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/transport"
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
			sample, err := transport.Ask(ctx, string(mcp.MethodSamplingCreateMessage), params)
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
	answer, err := transport.Elicit(ctx, question)
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

// addInputTools adds the tools that ask by their result, as 2026-07-28 has it.
func addInputTools(srv *server.MCPServer) {
	for name, handler := range map[string]server.ToolHandlerFunc{
		"test_input_required_result_elicitation":     byName,
		"test_streaming_elicitation":                 byName,
		"test_input_required_result_sampling":        bySample,
		"test_input_required_result_list_roots":      byRoots,
		"test_input_required_result_request_state":   byState,
		"test_input_required_result_tampered_state":  byState,
		"test_input_required_result_multiple_inputs": byAll,
		"test_input_required_result_multi_round":     byRounds,
		"test_input_required_result_capabilities":    byCapability,
		"test_missing_capability":                    bySampling,
	} {
		srv.AddTool(mcp.NewTool(name, mcp.WithDescription("Asks by its result.")), handler)
	}
}

func askFor(message, field, fieldKind string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: message,
		RequestedSchema: object([]string{field}, schema{field: kind(fieldKind)})}
}

// field is what the user accepted for a field of the question id, nil when there is no such answer.
func field(r mcp.CallToolRequest, id, name string) any {
	answer := transport.Answer(r, id)
	if answer == nil || answer.Action != mcp.ElicitationResponseActionAccept {
		return nil
	}
	content, _ := answer.Content.(map[string]any)
	return content[name]
}

func byName(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if name, ok := field(r, "user_name", "name").(string); ok {
		return text("Hello, " + name + "!"), nil
	}
	return transport.InputRequired("", "user_name",
		askFor("What is your name?", "name", "string")), nil
}

func bySample(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if sample := server.SamplingResponse(r.Params.InputResponses,
		"capital_question"); sample != nil {
		return text(fmt.Sprint(sample.Content)), nil
	}
	return server.NewInputRequestBuilder("").Sample("capital_question",
		sampling("What is the capital of France?", 100)).ToolResult(), nil
}

func byRoots(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if roots := server.RootsResponse(r.Params.InputResponses, "client_roots"); roots != nil {
		return text(fmt.Sprint("roots: ", roots.Roots)), nil
	}
	return server.NewInputRequestBuilder("").Roots("client_roots").ToolResult(), nil
}

// secret signs states, so that a client that changes one is found out.
var secret = []byte(rand.Text())

func sign(state string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

func signed(state string) bool {
	text, _, _ := strings.Cut(state, ".")
	return hmac.Equal([]byte(sign(text)), []byte(state))
}

func tampered(ctx context.Context) error {
	return transport.Refuse(ctx, mcp.INVALID_PARAMS,
		"the requestState is not one of this server", nil)
}

func byState(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	state := r.Params.RequestState
	switch {
	case state != "" && !signed(state):
		return nil, tampered(ctx)
	case state != "" && field(r, "confirm", "ok") != nil:
		return text("state-ok"), nil
	}
	return transport.InputRequired(sign("confirming"), "confirm",
		askFor("Please confirm", "ok", "boolean")), nil
}

func byAll(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	answers := r.Params.InputResponses
	name := field(r, "user_name", "name")
	sample := server.SamplingResponse(answers, "greeting")
	roots := server.RootsResponse(answers, "client_roots")
	switch {
	case r.Params.RequestState != "" && !signed(r.Params.RequestState):
		return nil, tampered(ctx)
	case name != nil && sample != nil && roots != nil:
		return text(fmt.Sprint(sample.Content, name, roots.Roots)), nil
	}
	return server.NewInputRequestBuilder(sign("all")).
		Elicit("user_name", askFor("What is your name?", "name", "string")).
		Sample("greeting", sampling("Generate a greeting", 50)).
		Roots("client_roots").ToolResult(), nil
}

func byRounds(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	state := r.Params.RequestState
	switch {
	case state == "":
		return transport.InputRequired(sign("round1"), "step1",
			askFor("Step 1: What is your name?", "name", "string")), nil
	case !signed(state):
		return nil, tampered(ctx)
	case state == sign("round1"):
		name := field(r, "step1", "name")
		return transport.InputRequired(sign(fmt.Sprint("round2-", name)), "step2",
			askFor("Step 2: What is your favorite color?", "color", "string")), nil
	}
	return text(fmt.Sprint("color: ", field(r, "step2", "color"))), nil
}

func byCapability(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	info := server.RequestProtocolInfoFromContext(ctx)
	b := server.NewInputRequestBuilder("")
	if transport.CanElicit(ctx) {
		b.Elicit("name", askFor("What is your name?", "name", "string"))
	}
	if info != nil && info.ClientCapabilities != nil && info.ClientCapabilities.Sampling != nil {
		b.Sample("greeting", sampling("Generate a greeting", 50))
	}
	return b.ToolResult(), nil
}

// bySampling needs a client that lends its model.
func bySampling(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	info := server.RequestProtocolInfoFromContext(ctx)
	if info != nil && info.Modern && info.ClientCapabilities.Sampling == nil {
		return nil, transport.Refuse(ctx, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
			"this tool needs a client with the capability sampling",
			map[string]any{"requiredCapabilities": map[string]any{"sampling": map[string]any{}}})
	}
	return bySample(ctx, r)
}
