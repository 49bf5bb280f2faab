package adbserver_test

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzAnyBytesGetAnAnswerOrAnEnd sends any bytes to the server. The law: it answers or ends the
// connection, in order, and goes on serving others.
func FuzzAnyBytesGetAnAnswerOrAnEnd(f *testing.F) {
	request := func(texts ...string) []byte {
		var out []byte
		for _, s := range texts {
			out = fmt.Appendf(out, "%04x%s", len(s), s)
		}
		return out
	}
	any := "host:transport-any"
	for _, seed := range [][]byte{
		{}, []byte("zzzz"), []byte("ffff"), []byte("0004"), request("host:version"),
		request("host:devices-l"), request("host:tport:any", "shell:id"),
		request("host-serial:sandbox-1:features"), request("host-serial:a:1:get-state"),
		request("host-transport-id:1:get-state"),
		append(request(any, "shell,v2,raw:cat"), packet(0, "in")+packet(4, "")+packet(5,
			"1x2,3x4")...),
		append(request(any, "shell,v2,pty:"), packet(0, "echo \x03\x1b[A\r\x04")...),
		append(request(any, "exec:cat"), "in"...), append(request(any, "shell:"), "exit\r"...),
		append(request(any, "sync:"), framed("STAT", "/")+framed("RECV", "/x")+framed("QUIT",
			"")...),
		append(request(any, "sync:"), framed("SEND", "/sdcard/x,33188")+framed("DATA",
			"x")+"DONE"+num(1)...),
		request("host:wait-for-any-device"), request("host:wait-for-any-disconnect"),
		request(any, "reboot:"),
	} {
		f.Add(seed)
	}
	e := serve(f)
	f.Fuzz(func(t *testing.T, sent []byte) {
		c, err := net.Dial("tcp", e.addr)
		require.NoError(t, err)
		defer c.Close()
		go func() {
			_, _ = c.Write(sent) // the server may end the connection before it has all
			_ = c.(*net.TCPConn).CloseWrite()
		}()
		require.NoError(t, c.SetReadDeadline(time.Now().Add(300*time.Millisecond)))
		// to the end, or to where the server waits for something to happen
		_, _ = io.Copy(io.Discard, c)
		other := *e
		other.t = t
		require.Equal(t, "OKAY00040029", other.ask("host:version"))
	})
}
