package adbserver_test

import (
	"net"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	goadb "github.com/zach-klippenstein/goadb"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// goadb was written by others: what it makes of the server's bytes is what they should say. Its
// answers end after 255 bytes, which two phones fit into and three do not.
func TestGoadbReadsTheListAndShortShells(t *testing.T) {
	e := serve(t)
	e.Attach("emulator-5554", shell.New(sandbox.New(nil)))
	require.NoError(t, e.SetState("emulator-5554", adbserver.StateUnauthorized))
	host, port, err := net.SplitHostPort(e.addr)
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	// it wants to know an adb binary, and does not start it while a server runs
	self, err := os.Executable()
	require.NoError(t, err)
	client, err := goadb.NewWithConfig(goadb.ServerConfig{PathToAdb: self, Host: host,
		Port: number})
	require.NoError(t, err)

	version, err := client.ServerVersion()
	require.NoError(t, err)
	require.Equal(t, 41, version)
	list, err := client.ListDevices()
	require.NoError(t, err)
	require.Equal(t, []*goadb.DeviceInfo{
		{Serial: serial, Product: "taploop_sandbox", Model: "taploop_sandbox",
			DeviceInfo: "sandbox", Usb: "1-1"},
		{Serial: "emulator-5554", Usb: "1-2"},
	}, list)

	for name, want := range map[string]goadb.DeviceState{
		serial: goadb.StateOnline, "emulator-5554": goadb.StateUnauthorized,
	} {
		state, err := client.Device(goadb.DeviceWithSerial(name)).State()
		require.NoError(t, err)
		require.Equal(t, want, state, name)
	}
	phone := client.Device(goadb.DeviceWithSerial(serial))
	for line, want := range map[string]string{
		"wm size": "Physical size: 270x600\n", "echo one; echo two >&2": "one\ntwo\n", "true": "",
		"nope": "/system/bin/sh: nope: inaccessible or not found\n",
	} {
		said, err := phone.RunCommand(line)
		require.NoError(t, err)
		require.Equal(t, want, said, line)
	}
	_, err = client.Device(goadb.DeviceWithSerial("emulator-5554")).RunCommand("true")
	require.Error(t, err)
}
