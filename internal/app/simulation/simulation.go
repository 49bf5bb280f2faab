// Package simulation runs a simulated phone with a scripted model, carries out the runs of
// benchmarks on such phones, and draws screens with targets.
package simulation

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

//go:generate go test -count=1 ./genscript -update
//go:embed script/tasks.yaml.gz
var tasks []byte

// TasksScript returns the scripted model's script, which solves the phone's tasks.
var TasksScript = sync.OnceValue(func() []byte { return files.Unpack(tasks) })

// DefaultSerial is the serial of the phone that taploop sandbox serves.
const DefaultSerial = "sandbox-1"

// Simulation is a simulated phone behind an ADB server endpoint, and a scripted model that solves
// the phone's tasks.
type Simulation struct {
	Phone  *sandbox.Simulator
	Serial string
	Shell  *shell.Shell
	ADB    *adbserver.Server
	Addr   string // of the ADB server
	Model  *scripted.Server

	stop    context.CancelFunc // ends serving
	serving sync.WaitGroup
}

// Options are about where a simulation is and what its model says.
type Options struct {
	Serial    string           // "" means DefaultSerial
	Further   int              // phones beside the first one, whose serial ends in -1: -2, -3, ...
	ADBAddr   string           // of the ADB server endpoint on this machine, "" means a free port
	ModelAddr string           // of the scripted model, alike
	Script    []byte           // nil means TasksScript
	Now       func() time.Time // the clock of the further phones, nil means time.Now
}

// Start serves the phone and a scripted model until Close. Options may be nil.
func Start(ctx context.Context, phone *sandbox.Simulator, opts *Options) (*Simulation, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	const anyPort = "127.0.0.1:0"
	if o.Script == nil {
		o.Script = TasksScript()
	}
	rules, err := scripted.Parse(o.Script)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", cmp.Or(o.ADBAddr, anyPort))
	if err != nil {
		return nil, err
	}
	serial := cmp.Or(o.Serial, DefaultSerial)
	s := &Simulation{Phone: phone, Serial: serial, Shell: shell.New(phone), ADB: adbserver.New(),
		Addr: ln.Addr().String()}
	s.ADB.Attach(serial, s.Shell)
	for i := range o.Further {
		further := sandbox.New(&sandbox.Options{Now: o.Now})
		s.ADB.Attach(fmt.Sprintf("%s-%d", strings.TrimSuffix(serial, "-1"), i+2),
			shell.New(further))
	}
	serveCtx, stop := context.WithCancel(ctx)
	s.stop = stop
	s.serving.Go(func() { _ = s.ADB.Serve(serveCtx, ln) })
	h := scripted.NewHandler(rules)
	h.Sees = sight
	if opts == nil || opts.Script == nil {
		h.Whole, h.Says = true, inItsUnits
		if o.Further == 0 { // several phones can look the same
			h.Says = s.looksFirst
		}
	}
	s.Model, err = scripted.Start(ctx, cmp.Or(o.ModelAddr, anyPort), s.resetting(h))
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends both servers and waits for them.
func (s *Simulation) Close() error {
	var err error
	if s.Model != nil {
		err = s.Model.Close()
	}
	s.stop()
	s.serving.Wait()
	return err
}

// Settings are flags that point a configuration at the simulation.
func (s *Simulation) Settings() map[string]any {
	return map[string]any{"adb.server": s.Addr, "adb.serial": s.Serial,
		"model.base_url": s.Model.BaseURL, "model.name": "scripted"}
}
