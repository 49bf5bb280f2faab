package tools

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// promptFiles are the prompts, in English and in Chinese.
//
//go:embed prompts/*.txt
var promptFiles embed.FS

var langArgument = mcp.PromptArgument{Name: "lang", Description: "Of the prompt: en or zh."}

// prompts can be chosen by a client's user.
var prompts = []mcp.Prompt{
	{Name: "ask_for_intent", Title: "Ask what is really wanted",
		Description: "Finds out with a few questions what is wanted, before anything is done.",
		Arguments: []mcp.PromptArgument{
			{Name: "goal", Description: "What is wanted, in the user's words.", Required: true},
			langArgument}},
	{Name: "gather_information", Title: "Gather information with tools",
		Description: "Collects what is needed with the tools that there are, and asks the user " +
			"only what no tool can know.",
		Arguments: []mcp.PromptArgument{
			{Name: "topic", Description: "What is to be collected, and what for.", Required: true},
			langArgument}},
	{Name: "five_steps", Title: "Analyse, clarify, retrieve, verify, answer",
		Description: "Reaches a goal in five steps, with all decisions left to the user.",
		Arguments: []mcp.PromptArgument{
			{Name: "goal", Description: "What is wanted, in the user's words.", Required: true},
			langArgument}},
	{Name: "hand_over_phone_task", Title: "Hand a task over to a phone",
		Description: "Has something done on a phone, step by step, with all decisions left to " +
			"the user.",
		Arguments: []mcp.PromptArgument{
			{Name: "task", Description: "What is to be done.", Required: true},
			{Name: "device_id", Description: "The phone; left out, the only one."},
			langArgument}},
	{Name: "after_no_answer", Title: "After a refusal, or silence",
		Description: "What to do when a question or a call of a tool was refused, or got no " +
			"answer.",
		Arguments: []mcp.PromptArgument{
			{Name: "what", Description: "What was refused, or what nobody answered."},
			{Name: "session_id", Description: "The session that asked, if it was one on a phone."},
			langArgument}},
}

const maxPromptArgument = 4000 // characters

// addPrompts adds the prompts to a server.
func addPrompts(s *server.MCPServer) {
	for _, p := range prompts {
		s.AddPrompt(p, func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult,
			error) {
			return filledIn(ctx, p, r.Params.Arguments)
		})
	}
}

// filledIn is the prompt with its arguments.
func filledIn(ctx context.Context, p mcp.Prompt, arguments map[string]string) (
	*mcp.GetPromptResult, error) {
	lang := connectionOptionsOf(ctx).lang
	given := map[string]string{}
	for name, value := range arguments {
		given[name] = strings.TrimSpace(text.Cut(text.Lines(value), maxPromptArgument))
	}
	if l := given["lang"]; l != "" {
		found, ok := words.Find(l)
		if !ok {
			return nil, badArgument(ctx, "lang is %s (want en or zh)", l)
		}
		lang = found
	}
	var fill []string
	for _, a := range p.Arguments {
		if a.Required && given[a.Name] == "" {
			return nil, badArgument(ctx, a.Name+" is missing: "+a.Description)
		}
		fill = append(fill, "{{"+a.Name+"}}", quote(given[a.Name]))
	}
	fill = append(fill, "{{on_device}}", within("device_id", given["device_id"]),
		"{{of_session}}", within("session_id", given["session_id"]))
	if given["what"] == "" {
		fill = append([]string{"{{what}}", messagesIn(lang).NotInTime}, fill...)
	}
	b, err := promptFiles.ReadFile("prompts/" + p.Name + "." + lang + ".txt")
	if err != nil {
		return nil, err
	}
	filled := strings.TrimSpace(strings.NewReplacer(fill...).Replace(string(b)))
	return &mcp.GetPromptResult{Description: p.Description, Messages: []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(filled))}}, nil
}

// within adds an argument that may be left out.
func within(name, id string) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf(" (%s %s)", name, quote(id))
}

// completer completes arguments of prompts and of resources.
type completer struct{ *Options }

// CompletePromptArgument implements server.PromptCompletionProvider.
func (c completer) CompletePromptArgument(ctx context.Context, name string, a mcp.CompleteArgument,
	_ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, p := range prompts {
		for _, own := range p.Arguments {
			if p.Name == name && own.Name == a.Name {
				return c.complete(ctx, a)
			}
		}
	}
	return nil, badArgument(ctx, "no prompt %s has an argument %s", name, a.Name)
}

// CompleteResourceArgument implements server.ResourceCompletionProvider.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument,
	_ mcp.CompleteContext) (*mcp.Completion, error) {
	if strings.HasPrefix(uri, sessionURI) && strings.Contains(uri, "{"+a.Name+"}") {
		return c.complete(ctx, a)
	}
	return nil, badArgument(ctx, "no resource template %s has an argument %s", uri, a.Name)
}

// badArgument refuses a request for what the client wrote in it.
func badArgument(ctx context.Context, format string, quoted ...string) error {
	shown := text.Each(quoted, func(q string) any { return text.Quote(q, 200) })
	return transport.Refuse(ctx, mcp.INVALID_PARAMS, fmt.Sprintf(format, shown...), nil)
}

const maxCompletions = 100 // "Must not exceed 100 items."

// complete gives the values of an argument that begin so: phones, and sessions of the caller.
func (c completer) complete(ctx context.Context, a mcp.CompleteArgument) (*mcp.Completion, error) {
	var all []string
	switch a.Name {
	case "lang":
		all = words.Languages()
	case "device_id":
		list, err := c.Phones.List(ctx)
		if err != nil {
			return nil, err
		}
		all = text.Each(list, func(p runs.PhoneInfo) string { return p.Serial })
	case "session_id":
		list, err := c.Store.Sessions(ctx, store.Filter{Owners: c.owners(ctx), Limit: 1000})
		if err != nil {
			return nil, err
		}
		all = text.Each(list, func(x store.Overview) string { return x.ID })
	}
	out := &mcp.Completion{Values: []string{}}
	for _, v := range all {
		if !strings.HasPrefix(v, a.Value) {
			continue
		}
		out.Total++
		if out.HasMore = len(out.Values) == maxCompletions; !out.HasMore {
			out.Values = append(out.Values, v)
		}
	}
	return out, nil
}
