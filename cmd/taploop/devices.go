package main

import (
	"context"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/runs"
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
	host, err := a.host(nil)
	if err != nil {
		return err
	}
	phones, err := host.List(ctx)
	if err != nil {
		return runs.Coded(runs.Code(agentloop.DeviceError), err)
	}
	return printPhones(a, c.JSON, phones)
}

func printPhones(a *app, asJSON bool, phones []device.Info) error {
	return printList(a, asJSON, phones,
		"no phones; connect one with USB debugging on, or start `taploop sandbox`",
		"SERIAL STATE MODEL ANDROID SIZE", func(p device.Info) []any {
			size := ""
			if p.Size.Valid() {
				size = p.Size.String()
			}
			return []any{p.Serial, p.State, p.Model, p.Android, size}
		})
}

// host is the ADB server of the configuration.
func (a *app) host(memory device.Keyboards) (*device.Host, error) {
	return device.NewHost(&device.Options{
		Server: a.conf.ADB.Server, ADB: a.conf.ADB.Path, Timeout: a.conf.ADB.Timeout,
		Getenv: a.opts.Getenv, Apps: a.conf.Apps, Log: a.log, Memory: memory,
	})
}
