package device_test

import (
	"net"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	goadb "github.com/zach-klippenstein/goadb"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// Our client and the simulated server were written by the same people. What goadb reads of the
// server has to be what our client reads, as far as goadb can: its answers end after 255 bytes.
func TestGoadbReadsTheSameOfTheSimulatedServer(t *testing.T) {
	e := serve(t)
	for _, serial := range []string{"sandbox-1", "127.0.0.1:5555"} {
		e.Attach(serial, shell.New(newSimulated(t, sandbox.Options{}).phone))
	}
	host, port, err := net.SplitHostPort(e.addr)
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	// it wants to know an adb binary, and does not start it while a server runs
	self, err := os.Executable()
	require.NoError(t, err)
	theirs, err := goadb.NewWithConfig(goadb.ServerConfig{PathToAdb: self, Host: host,
		Port: number})
	require.NoError(t, err)
	ours, err := adb.New(&adb.Options{Server: e.addr, Getenv: func(string) string { return "" }})
	require.NoError(t, err)

	read, err := theirs.ListDevices()
	require.NoError(t, err)
	entries, err := ours.Devices(t.Context())
	require.NoError(t, err)
	require.Len(t, entries, 2)
	var same []*goadb.DeviceInfo
	for _, entry := range entries {
		same = append(same, &goadb.DeviceInfo{Serial: entry.Serial, Usb: entry.Props["usb"],
			Product: entry.Props["product"], Model: entry.Props["model"],
			DeviceInfo: entry.Props["device"]})
		require.Equal(t, "device", entry.State)
		phone := theirs.Device(goadb.DeviceWithSerial(entry.Serial))
		state, err := phone.State()
		require.NoError(t, err)
		require.Equal(t, goadb.StateOnline, state)
		for _, line := range []string{"wm size", "getprop ro.product.model",
			"echo one; echo two >&2", "wm nope", "true"} {
			said, err := phone.RunCommand(line)
			require.NoError(t, err)
			result, err := ours.Device(entry.Serial).Shell(t.Context(), line)
			require.NoError(t, err)
			require.Equal(t, said, result.Text(), line)
		}
	}
	require.Equal(t, read, same)
}
