package runs_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// lone is one phone, in memory.
type lone struct{ *devicetest.Fake }

func (d lone) List(context.Context) ([]runs.PhoneInfo, error) {
	return []runs.PhoneInfo{{Serial: "emu-1", State: "device", Usable: true}}, nil
}
func (d lone) Open(context.Context, string) (runs.Phone, error) { return d, nil }

func (d lone) Device() store.Device { return store.Device{ID: "emu-1"} }
func (d lone) Close() error         { return nil }
func (d lone) State(ctx context.Context) (screen.State, error) {
	seen, err := d.Look(ctx)
	return seen.State, err
}

// brewer asks once and then is done. A real policy asks a model: see agentloop/policy.
type brewer struct{}

func (brewer) Next(_ context.Context, s agentloop.Situation) (p agentloop.Proposal, _ error) {
	if len(s.Exchanges) == 0 {
		p.Action = actions.Info{Question: "Tea or coffee?", Options: []string{"tea", "coffee"}}
	} else {
		p.Action = actions.Complete{Report: "ordered " + s.Exchanges[0].Answer}
	}
	return p, nil
}

// A run asks, waits for the answer without a goroutine of its own, and goes on with it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(ctx, dir, nil)
	if err != nil {
		panic(err)
	}
	defer db.Close()
	manager := runs.New(&runs.Options{Store: db, Phones: lone{devicetest.NewFake()},
		NewPolicy: func(runs.Settings) (agentloop.Policy, error) { return brewer{}, nil }})
	defer manager.Close()

	st, err := manager.Start(ctx, runs.StartRequest{Task: "Order a hot drink."})
	if err != nil {
		panic(err)
	}
	wait := runs.WaitRequest{SessionID: st.Session.ID, Budget: time.Minute}
	if st, err = manager.Wait(ctx, wait); err != nil {
		panic(err)
	}
	fmt.Println(st.Run.State, st.Question.Text, inquiry.As[inquiry.Ask](*st.Question).Options)

	_, err = manager.Continue(ctx, runs.ContinueRequest{SessionID: st.Session.ID,
		Reply: &inquiry.Reply{Response: "coffee"}})
	if err != nil {
		panic(err)
	}
	if st, err = manager.Wait(ctx, wait); err != nil {
		panic(err)
	}
	fmt.Println(st.Run.State, st.Run.Answer)
	// Output:
	// WAITING_REPLY Tea or coffee? [tea coffee]
	// COMPLETED ordered coffee
}
