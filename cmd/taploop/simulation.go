package main

import (
	"context"
	_ "embed"
	"errors"
	"net"
	"sync"

	"github.com/taploop/taploop/model/scripted"
	"github.com/taploop/taploop/sandbox"
	"github.com/taploop/taploop/sandbox/adbserver"
	"github.com/taploop/taploop/sandbox/shell"
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
