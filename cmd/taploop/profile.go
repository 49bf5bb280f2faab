package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
)

// profile writes down what this process computes until stop is called, which writes the profiles to
// NAME.cpu.pprof and NAME.heap.pprof. It refuses to overwrite a file.
func profile(name string) (stop func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	cpu, err := newProfile(name + ".cpu.pprof")
	if err != nil {
		return nil, err
	}
	heap, err := newProfile(name + ".heap.pprof")
	if err != nil {
		return nil, errors.Join(err, cpu.Close(), os.Remove(cpu.Name()))
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, errors.Join(err, cpu.Close(), heap.Close(), os.Remove(cpu.Name()),
			os.Remove(heap.Name()))
	}
	return func() error {
		pprof.StopCPUProfile()
		runtime.GC() // the heap's profile is as of the last one
		err := errors.Join(cpu.Close(), pprof.WriteHeapProfile(heap), heap.Close())
		if err != nil {
			err = fmt.Errorf("writing the profiles: %w", err)
		}
		return err
	}, nil
}

func newProfile(name string) (*os.File, error) {
	f, err := files.Create(name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, app.Usage(fmt.Errorf("--profile: %s is there already", name),
			"name a new file, or delete this one")
	case err != nil:
		return nil, app.Usage(fmt.Errorf("--profile: %w", err),
			"name a file in a folder that is there and that you may write to")
	}
	return f, nil
}
