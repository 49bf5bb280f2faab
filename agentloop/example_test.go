package agentloop_test

import (
	"context"
	"fmt"
	"log"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

// A run on a small phone, with a policy that follows a script.
func ExampleRunner() {
	p := newPhone()
	r := agentloop.Runner{
		Phone: p,
		Policy: &script{actions: []actions.Action{
			actions.OpenApp{App: "Notes"},
			actions.Type{Text: "milk", Submit: true},
			actions.Complete{Report: "milk is on the list"},
		}},
		Journal: &journal{},
		Parker:  &inbox{},
		Limits:  agentloop.Limits{Steps: 10, Settle: -1},
		Observe: func(e agentloop.Event) {
			if e.Kind == agentloop.Stepped {
				fmt.Println(e.Step.Index, actions.Describe(e.Step.Proposal.Action))
			}
		},
	}

	end, progress, err := r.Run(context.Background(),
		agentloop.Progress{Task: "put milk on the list"}, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(end.Reason, "after", progress.Steps, "steps:", end.Answer)
	// Output:
	// 1 open "Notes"
	// 2 type "milk", press Enter
	// 3 done: "milk is on the list"
	// TASK_COMPLETED_SUCCESSFULLY after 3 steps: milk is on the list
}
