package tools_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
)

// A client lists the tools and hands a task to a phone, over a transport in memory. The phone is a
// double, and so is the model: it sees at once that the task is done.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "taploop-")
	check(err)
	defer os.RemoveAll(dir)
	db, err := store.Open(ctx, dir, nil)
	check(err)
	defer db.Close()
	phones := newFakePhones("emulator-5554")
	manager := runs.New(&runs.Options{Store: db, Phones: phones,
		Limits:    agentloop.Limits{Settle: -1},
		NewPolicy: func(runs.Settings) (agentloop.Policy, error) { return seesAnAlarm{}, nil }})
	defer manager.Close()

	srv := server.NewMCPServer("taploop", "1.0", server.WithInstructions(tools.Instructions))
	tools.New(&tools.Options{Options: usecase.Options{Runs: manager, Questions: manager.Broker(),
		Store: db, Leases: db.Leases, Phones: phones}, Sign: db.Sign}).Register(srv)

	c, err := client.NewInProcessClient(srv)
	check(err)
	defer c.Close()
	check(c.Start(ctx))
	_, err = c.Initialize(ctx, mcp.InitializeRequest{})
	check(err)

	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	check(err)
	for _, tool := range list.Tools {
		fmt.Println(tool.Name)
	}

	var call mcp.CallToolRequest
	call.Params.Name = "ask_agent_start_new_task"
	call.Params.Arguments = map[string]any{"task": "Is there an alarm for tomorrow?"}
	got, err := c.CallTool(ctx, call)
	check(err)
	result := got.StructuredContent.(map[string]any)
	fmt.Println(result["stop_reason"], "-", result["answer"])

	// Output:
	// list_connected_devices
	// ask_agent_start_new_task
	// ask_agent_continue
	// ask_agent_wait
	// ask_agent_stop
	// list_sessions
	// get_screenshot
	// send_inquiry
	// list_pending_questions
	// answer_question
	// TASK_COMPLETED_SUCCESSFULLY - There is one at 7:30.
}

// seesAnAlarm is a policy in the place of a model.
type seesAnAlarm struct{}

func (seesAnAlarm) Next(context.Context, agentloop.Situation) (agentloop.Proposal, error) {
	done := actions.Complete{Report: "There is one at 7:30."}
	return agentloop.Proposal{Decision: actions.Decision{Action: done}}, nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
