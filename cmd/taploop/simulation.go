package main

import (
	"context"
	_ "embed"
	"errors"
	"net"
	"sync"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

//go:generate go run ./genscript script/tasks.yaml
//go:generate go run ./gendocs ../../docs/configuration.md ../../docs/clients.md

//go:embed script/tasks.yaml
var tasksScript []byte

// simulatedSerial is the serial of the phone that taploop sandbox serves.
const simulatedSerial = "sandbox-1"

// simulation is a simulated phone behind an ADB server endpoint, and a scripted model that solves
// the phone's tasks.
type simulation struct {
	phone  *sandbox.Simulator
	serial string
	shell  *shell.Shell
	adb    *adbserver.Server
	addr   string // of the ADB server
	model  *scripted.Server

	stop    context.CancelFunc // ends serving
	serving sync.WaitGroup
	failed  error // why serving ended, once it has
}

// simulate starts one. adbAddr and modelAddr are on this machine; port 0 takes a free one. script
// nil means the tasks' own.
func simulate(ctx context.Context, phone *sandbox.Simulator, serial, adbAddr, modelAddr string,
	script []byte) (*simulation, error) {
	if script == nil {
		script = tasksScript
	}
	rules, err := scripted.Parse(script)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", adbAddr)
	if err != nil {
		return nil, err
	}
	s := &simulation{phone: phone, serial: serial, shell: shell.New(phone), adb: adbserver.New(),
		addr: ln.Addr().String()}
	s.adb.Attach(serial, s.shell)
	serveCtx, stop := context.WithCancel(ctx)
	s.stop = stop
	s.serving.Go(func() { s.failed = s.adb.Serve(serveCtx, ln) })
	if s.model, err = scripted.Start(ctx, modelAddr, scripted.NewHandler(rules)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends both servers and waits for them.
func (s *simulation) Close() error {
	var err error
	if s.model != nil {
		err = s.model.Close()
	}
	s.stop()
	s.serving.Wait()
	return err
}

// settings point a configuration at the simulation.
func (s *simulation) settings() map[string]any {
	return map[string]any{"adb.server": s.addr, "adb.serial": s.serial,
		"model.base_url": s.model.BaseURL, "model.name": "scripted"}
}

// playOut runs a task on a phone that is gone afterwards, and answers its questions. The status is
// how the run stood before it was stopped for good.
func playOut(ctx context.Context, manager *runs.Manager, r runs.StartRequest,
	began func(runs.Status), answer func(question string) (string, error)) (
	st runs.Status, err error) {
	if st, err = manager.Start(ctx, r); err != nil {
		return st, err
	}
	began(st)
	defer func() { // nothing may wait for the phone
		if _, stop := manager.Stop(context.WithoutCancel(ctx),
			runs.StopRequest{SessionID: st.Session.ID}); stop != nil {
			err = errors.Join(err, stop)
		}
	}()
	for {
		st, err = new(steps).waitForEnd(ctx, manager, st, nil) // which shows nothing
		if err != nil || !st.Run.State.Waiting() {
			return st, err
		}
		words, err := answer(st.Question.Text)
		if err != nil {
			return st, err
		}
		st, err = manager.Continue(ctx, runs.ContinueRequest{SessionID: st.Session.ID,
			QuestionID: st.Question.ID, Reply: &inquiry.Reply{Response: words,
				Channel: inquiry.ChannelConsole, Authority: inquiry.AuthorityLocalOperator}})
		if err != nil {
			return st, err
		}
	}
}
