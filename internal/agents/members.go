package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// listedTool is a tool as its server describes it.
type listedTool struct {
	Name        string
	Description string
	Schema      json.RawMessage // of its arguments
	Prompt      string          // the prompt that it returns, "" for a tool
}

// asPrompt makes t, which has a prompt's name and description, a tool that returns the prompt. Its
// arguments are texts.
func (t *listedTool) asPrompt(arguments json.RawMessage) {
	var all []json.RawMessage
	_ = json.Unmarshal(arguments, &all) // a prompt without arguments
	properties, required := map[string]any{}, []string{}
	for _, a := range all {
		name := wire.Text(wire.At(a, "name"))
		if name == "" {
			continue
		}
		properties[name] = map[string]any{"type": "string",
			"description": wire.Text(wire.At(a, "description"))}
		if string(wire.At(a, "required")) == "true" {
			required = append(required, name)
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties,
		"required": required})
	if err != nil {
		panic(err) // it is made of texts
	}
	*t = listedTool{Name: "prompt_" + t.Name, Schema: schema, Prompt: t.Name,
		Description: "Returns the prompt " + text.Quote(t.Name, 200) +
			" of the server, which says how to do something. It changes nothing. " + t.Description}
}

// promptText returns a prompt with the texts of its messages as its description.
func promptText(raw json.RawMessage) (json.RawMessage, error) {
	var messages []json.RawMessage
	if json.Unmarshal(wire.At(raw, "messages"), &messages) != nil {
		return nil, errors.New("its messages cannot be read: they are no list")
	}
	var all []string
	for _, m := range messages {
		content := wire.At(m, "content")
		parts := []json.RawMessage{content}
		if list := []json.RawMessage(nil); json.Unmarshal(content, &list) == nil {
			parts = list
		}
		for _, part := range parts {
			if said := asText(part); said != "" {
				all = append(all, said)
			}
		}
	}
	return json.Marshal(mcp.GetPromptResult{Description: strings.Join(all, "\n\n")})
}

// asText returns a part of a result as text. Images and sounds are only named.
func asText(part json.RawMessage) string {
	var p struct {
		Type, Text, MIMEType, Name, URI string
		Resource                        struct{ Text string }
	}
	if json.Unmarshal(part, &p) == nil {
		switch p.Type {
		case mcp.ContentTypeText:
			return p.Text
		case mcp.ContentTypeImage:
			return fmt.Sprintf("(a picture, %s)", p.MIMEType)
		case mcp.ContentTypeAudio:
			return fmt.Sprintf("(a sound, %s)", p.MIMEType)
		case mcp.ContentTypeLink:
			return fmt.Sprintf("(a resource: %s %s)", p.Name, p.URI)
		case mcp.ContentTypeResource:
			if p.Resource.Text != "" {
				return p.Resource.Text
			}
		}
	}
	if said := ""; json.Unmarshal(part, &said) == nil {
		return said
	}
	return string(part)
}
