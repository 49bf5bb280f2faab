package model_test

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/model/scripted"
)

// A client asks a model behind any OpenAI-compatible endpoint; here one that answers from a script.
func Example() {
	script, err := scripted.Parse([]byte(`
rules:
  - when: 'capital of (?P<country>\w+)'
    reply: "I would have to look ${country} up."
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	server, err := scripted.Start(ctx, "", scripted.NewHandler(script))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	cold := 0.0
	c, err := model.New(&model.Options{BaseURL: server.BaseURL, Name: "any", Temperature: &cold})
	if err != nil {
		fmt.Println(err, "try:", hint.Of(err))
		return
	}
	defer c.Close()
	reply, err := c.Complete(ctx, model.Request{Messages: []model.Message{
		{Role: "user", Parts: []model.Part{{Text: "What is the capital of France?"}}},
	}})
	if err != nil {
		fmt.Println(err, "try:", hint.Of(err))
		return
	}
	fmt.Println(reply.Text, reply.FinishReason)
	// Output: I would have to look France up. stop
}
