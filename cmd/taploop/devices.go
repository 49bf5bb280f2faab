package main

import (
	"context"
	"io"

	"github.com/taploop/taploop/device"
)

type devicesCmd struct {
	JSON bool   `help:"Print JSON."`
	ADB  string `name:"adb-server" key:"adb.server" help:"ADB server, host:port." placeholder:"ADDR"`
}

// Run lists the phones that the ADB server has, usable or not.
func (c *devicesCmd) Run(ctx context.Context, a *app) error {
	if err := a.load(); err != nil {
		return err
	}
	host, err := a.host()
	if err != nil {
		return err
	}
	phones, err := host.List(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		if phones == nil {
			phones = []device.Info{} // an empty list, not null
		}
		return printJSON(a.out, phones)
	}
	if len(phones) == 0 {
		a.notef("no phones; connect one with USB debugging on, or start `taploop sandbox`")
		return nil
	}
	return printPhones(a.out, phones)
}

func printPhones(out io.Writer, phones []device.Info) error {
	w := newTable(out, "SERIAL", "STATE", "MODEL", "ANDROID", "SIZE")
	for _, p := range phones {
		size := ""
		if p.Size.Valid() {
			size = p.Size.String()
		}
		w.row(p.Serial, p.State, p.Model, p.Android, size)
	}
	return w.end()
}

// host is the ADB server of the configuration.
func (a *app) host() (*device.Host, error) {
	return device.NewHost(&device.Options{
		Server: a.conf.ADB.Server, ADB: a.conf.ADB.Path, Timeout: a.conf.ADB.Timeout,
		Getenv: a.opts.Getenv, Apps: a.conf.Apps, Log: a.log,
	})
}
