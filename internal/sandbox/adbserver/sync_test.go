package adbserver_test

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func num(v ...uint32) string {
	var out []byte
	for _, n := range v {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	return string(out)
}

// framed is an id, the length of a text, and the text.
func framed(id, text string) string { return id + num(uint32(len(text))) + text }

// talk sends bytes to a new sync service and returns all of the answer.
func (e *endpoint) talk(sent ...string) string {
	e.t.Helper()
	c := e.open("sync:")
	c.okay()
	_, err := io.WriteString(c, strings.Join(sent, ""))
	require.NoError(e.t, err)
	_, err = io.WriteString(c, framed("QUIT", ""))
	require.NoError(e.t, err)
	return c.rest()
}

func TestSyncDescribesAndSendsFiles(t *testing.T) {
	e := serve(t)
	big := strings.Repeat("0123456789abcdef", 8192) // 128 KiB
	require.NoError(t, e.phone.Files().Write("/sdcard/a", []byte(big)))
	stat := framed("STAT", "/sdcard/a")
	info, err := e.phone.Files().Stat("/sdcard/a")
	require.NoError(t, err)
	described := "STAT" + num(0o100660, 131072, uint32(info.At.Unix()))
	require.Equal(t, framed("DATA", big[:65536])+framed("DATA",
		big[65536:])+"DONE"+num(0)+described,
		e.talk(framed("RECV", "/sdcard/a"), stat))
	require.Equal(t, "STAT"+num(0o040771), e.talk(framed("STAT", "/sdcard"))[:8])
	require.Equal(t, "STAT"+num(0, 0, 0), e.talk(framed("STAT", "/nope")))
	fail := func(text string) string { return framed("FAIL", text) }
	require.Equal(t, fail("open failed: No such file or directory")+described,
		e.talk(framed("RECV", "/nope"), stat))
	require.Equal(t, fail("open failed: Is a directory")+described,
		e.talk(framed("RECV", "/sdcard"), stat))
}

func TestSyncTakesFiles(t *testing.T) {
	e := serve(t)
	big := strings.Repeat("0123456789abcdef", 8192) // 128 KiB
	sent := framed("SEND", "/sdcard/x,33188") + framed("DATA", big[:65536]) +
		framed("DATA", big[65536:]) + "DONE" + num(0)
	require.Equal(t, "OKAY"+num(0), e.talk(sent))
	got, err := e.phone.Files().Read("/sdcard/x")
	require.NoError(t, err)
	require.Equal(t, big, string(got))
	require.Equal(t, framed("FAIL", "couldn't create file: Read-only file system"),
		e.talk(framed("SEND", "/system/x,33188"), "DONE"+num(0)))
}

func TestSyncEndsAfterARequestThatItDoesNotKnow(t *testing.T) {
	e := serve(t)
	for sent, says := range map[string]string{
		framed("LIST", "/sdcard"): `the simulated phone does not support "LIST"`,
		"STAT" + num(5000):        "invalid path length: 5000",
	} {
		c := e.open("sync:")
		c.okay()
		_, err := io.WriteString(c, sent)
		require.NoError(t, err)
		require.Equal(t, framed("FAIL", says), c.rest())
	}
}
