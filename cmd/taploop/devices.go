package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/text"
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
	defer host.Close()
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
		fmt.Fprintln(a.err, "no phones; connect one with USB debugging on, or start `taploop sandbox`")
		return nil
	}
	return printPhones(a.out, phones)
}

func printPhones(out io.Writer, phones []device.Info) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SERIAL\tSTATE\tMODEL\tANDROID\tSIZE")
	for _, p := range phones {
		size := ""
		if p.Size.Valid() {
			size = p.Size.String()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", text.Line(p.Serial), text.Line(string(p.State)),
			text.Line(p.Model), text.Line(p.Android), size)
	}
	return w.Flush()
}

// host is the ADB server of the configuration.
func (a *app) host() (*device.Host, error) {
	return device.NewHost(&device.Options{
		Server: a.conf.ADB.Server, ADB: a.conf.ADB.Path, Timeout: a.conf.ADB.Timeout,
		Getenv: a.getenv, Apps: a.conf.Apps, Log: a.log,
	})
}
