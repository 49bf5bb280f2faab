package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/sandbox"
)

type sandboxCmd struct {
	Tasks     bool   `xor:"instead"`
	Task      string `placeholder:"ID" xor:"instead"`
	JSON      bool
	Addr      string `default:"127.0.0.1:5038"`
	ModelAddr string `default:"127.0.0.1:5039"`
	Reset     bool   `xor:"instead"`
	Script    string `type:"existingfile" placeholder:"FILE"`
	Locale    string `enum:"en,zh" default:"en"`
	MoreApps  bool
	Layout    string `enum:"upper,lower" default:"upper"`
	PIN       string `placeholder:"DIGITS"`
	StandIns  string `name:"standins" placeholder:"DIR"`
}

// Run serves the simulated phone until it is interrupted.
func (c *sandboxCmd) Run(ctx context.Context, a *invocation) error {
	if c.Reset {
		err := simulation.Reset(ctx, c.ModelAddr)
		if err == nil {
			a.notef("the sandbox is as new")
		}
		return err
	}
	phone := sandbox.New(&sandbox.Options{Locale: c.Locale, PIN: c.PIN, Locked: c.PIN != "",
		More: c.MoreApps, Lower: c.Layout == "lower", Place: c.Addr})
	if c.Tasks {
		return c.listTasks(a, phone)
	}
	task, err := c.setUp(phone)
	if err != nil {
		return err
	}
	if err := errors.Join(onThisMachine(c.Addr), onThisMachine(c.ModelAddr)); err != nil {
		return app.Usage(err, "")
	}
	var script []byte
	if c.Script != "" {
		if script, err = files.Read(c.Script); err != nil {
			return err
		}
	}
	sim, err := simulation.Start(ctx, phone,
		&simulation.Options{ADBAddr: c.Addr, ModelAddr: c.ModelAddr, Script: script})
	if err != nil {
		return hint.Add(fmt.Errorf("starting the sandbox: %w", err),
			"if another program has the address, choose one with --addr and --model-addr; "+
				"see that "+cmp.Or(c.Script, "the script")+" is a script")
	}
	return app.Closing(c.serve(ctx, a, sim, task), sim.Close)
}

// setUp puts the phone into the state in which the task begins. It returns nil without a task.
func (c *sandboxCmd) setUp(phone *sandbox.Simulator) (*sandbox.Task, error) {
	if c.Task == "" {
		return nil, nil
	}
	task, ok := phone.Task(c.Task)
	if !ok {
		return nil, app.Usage(fmt.Errorf("there is no task %q", c.Task), "taploop sandbox --tasks")
	}
	task.Setup(phone)
	return &task, nil
}

// serve says how to use the phone, waits for the end, and checks the task.
func (c *sandboxCmd) serve(ctx context.Context, a *invocation, sim *simulation.Simulation,
	task *sandbox.Task) (err error) {
	end := func() error { return nil }
	if c.StandIns != "" {
		if end, err = c.serveStandIns(ctx, a, sim); err != nil {
			return err
		}
	}
	a.notef("a simulated phone is at ADB server %s, a scripted model at %s; use both with\n",
		sim.Addr, sim.Model.BaseURL)
	fmt.Fprintf(a.out,
		"export TAPLOOP_ADB_SERVER=%s TAPLOOP_MODEL_BASE_URL=%s TAPLOOP_MODEL_NAME=scripted\n",
		sim.Addr, sim.Model.BaseURL)
	if task != nil {
		a.notef("\ntask %s: %s", task.ID, task.GoalIn(c.Locale))
	}
	a.notef("\nCtrl-C ends it.")
	if err := sim.Ready(ctx); err == nil {
		a.notef("sandbox ready")
	} else if ctx.Err() == nil {
		return errors.Join(fmt.Errorf("the sandbox does not answer: %w", err), end())
	}
	<-ctx.Done()
	if err := end(); err != nil {
		return err
	}
	if task == nil {
		return nil
	}
	if err := task.Check(sim.Phone); err != nil {
		a.notef("task %s is not done: %v", task.ID, err)
		return ended(exitNotCompleted)
	}
	a.notef("task %s is done", task.ID)
	return nil
}

// serveStandIns offers the phone's commands as programs, and returns a function that waits for the
// end.
func (c *sandboxCmd) serveStandIns(ctx context.Context, a *invocation,
	sim *simulation.Simulation) (end func() error, err error) {
	dir, socket, end, err := sim.StandIns(ctx, c.StandIns)
	if err == nil {
		a.notef("the phone's commands are in %s; start adbd with\n\n"+
			"  TAPLOOP_SANDBOX_SOCKET=%s PATH=%s:$PATH adbd\n", dir, socket, dir)
	}
	return end, err
}

// onThisMachine refuses addresses that others could reach: the phone has no password.
func onThisMachine(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return hint.Add(fmt.Errorf("address %q: %w", addr, err),
			"write HOST:PORT, for example 127.0.0.1:5038")
	}
	if !httpguard.Loopback(addr) {
		return hint.Add(fmt.Errorf("address %q can be reached from elsewhere", addr),
			"use 127.0.0.1")
	}
	return nil
}

func (c *sandboxCmd) listTasks(a *invocation, phone *sandbox.Simulator) error {
	type entry struct {
		ID     string `json:"id"`
		Goal   string `json:"goal"`
		GoalZH string `json:"goal_zh"`
		Reply  string `json:"reply,omitempty"`
		shown  string
	}
	var list []entry
	for _, t := range phone.Tasks() {
		list = append(list, entry{t.ID, t.Goal, t.GoalZH, t.Reply, t.GoalIn(a.Lang())})
	}
	return printList(a, c.JSON, list, "", "TASK GOAL", func(t entry) []any {
		return []any{t.ID, t.shown}
	})
}
