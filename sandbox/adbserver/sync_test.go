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

func TestSyncStoresAndReturnsFiles(t *testing.T) {
	e := serve(t)
	big := strings.Repeat("0123456789abcdef", 8192) // 128 KiB
	okay := "OKAY" + num(0)
	require.Equal(t, okay, e.talk(framed("SEND", "/sdcard/new/dir/a,33188"), framed("DATA", big[:65536]), framed("DATA", big[65536:]), "DONE"+num(1700000000)))
	require.Equal(t, okay, e.talk(framed("SND2", "/sdcard/b"), "SND2"+num(0o100600, 0), framed("DATA", "x"), "DONE"+num(7)))
	require.Equal(t, okay, e.talk(framed("SEND", "/sdcard/a,b,420"), "DONE"+num(0)), "the last comma counts")

	require.Equal(t, framed("DATA", big[:65536])+framed("DATA", big[65536:])+"DONE"+num(0), e.talk(framed("RECV", "/sdcard/new/dir/a")))
	require.Equal(t, framed("DATA", "x")+"DONE"+num(0), e.talk(framed("RCV2", "/sdcard/b"), "RCV2"+num(0)))
	require.Equal(t, "STAT"+num(0o100644, 131072, 1700000000), e.talk(framed("STAT", "/sdcard/new/dir/a")))
	require.Equal(t, "STAT"+num(0, 0, 0), e.talk(framed("STAT", "/nope")))
	require.Equal(t, "STAT"+num(0o040771), e.talk(framed("STAT", "/sdcard"))[:8])

	entry := "DENT" + num(0o100644, 131072, 1700000000) + num(1) + "a"
	require.Equal(t, entry+"DONE"+num(0, 0, 0, 0), e.talk(framed("LIST", "/sdcard/new/dir")))
	require.Equal(t, "DONE"+num(0, 0, 0, 0), e.talk(framed("LIST", "/nope")))
}

func TestSyncV2DescribesFilesInFull(t *testing.T) {
	e := serve(t)
	require.Equal(t, "OKAY"+num(0), e.talk(framed("SEND", "/sdcard/a,33188"), framed("DATA", "xyz"), "DONE"+num(1700000000)))
	for _, id := range []string{"STA2", "LST2"} {
		got := e.talk(framed(id, "/sdcard/a"))
		require.Len(t, got, 72)
		require.Equal(t, id+num(0), got[:8])
		require.Equal(t, num(0o100644, 1, 2000, 2000)+num(3, 0)+strings.Repeat(num(1700000000, 0), 3), got[24:])
		require.Equal(t, id+num(2)+strings.Repeat("\x00", 64), e.talk(framed(id, "/nope")))
	}
	list := e.talk(framed("LIS2", "/sdcard"))
	require.Contains(t, list, num(1)+"a")
	require.True(t, strings.HasSuffix(list, "DONE"+strings.Repeat("\x00", 72)))
}

func TestSyncRefusesAndGoesOn(t *testing.T) {
	e := serve(t)
	fail := func(text string) string { return framed("FAIL", text) }
	stat := framed("STAT", "/nope")
	after := "STAT" + num(0, 0, 0)
	require.Equal(t, fail("couldn't create file: Read-only file system")+after,
		e.talk(framed("SEND", "/system/x,33188"), framed("DATA", "x"), "DONE"+num(0), stat))
	require.Equal(t, fail("couldn't create file: Operation not permitted")+after,
		e.talk(framed("SEND", "/sdcard/link,41471"), framed("DATA", "target"), "DONE"+num(0), stat))
	require.Equal(t, fail("open failed: No such file or directory")+after, e.talk(framed("RECV", "/nope"), stat))
	require.Equal(t, fail("open failed: Is a directory")+after, e.talk(framed("RECV", "/sdcard"), stat))
}

func TestSyncEndsAfterARequestThatMakesNoSense(t *testing.T) {
	e := serve(t)
	for sent, says := range map[string]string{
		framed("NOPE", "x"):                                     `unknown command "NOPE"`,
		"STAT" + num(5000):                                      "invalid path length: 5000",
		framed("SEND", "/sdcard/x"):                             "missing , in ID_SEND",
		framed("SEND", "/sdcard/x,rw"):                          "bad mode",
		framed("SEND", "/sdcard/x,420") + "DATA" + num(70000):   `unexpected packet "DATA" of 70000 bytes`,
		framed("SEND", "/sdcard/x,420") + framed("STAT", "/"):   `unexpected packet "STAT" of 1 bytes`,
		framed("SND2", "/sdcard/x") + "SND2" + num(0o100644, 1): "compression is not supported",
		framed("SND2", "/sdcard/x") + "DATA" + num(0o100644, 1): "expected SND2",
		framed("RCV2", "/sdcard/x") + "RCV2" + num(4):           "compression is not supported",
	} {
		c := e.open("sync:")
		c.okay()
		_, err := io.WriteString(c, sent)
		require.NoError(t, err)
		require.Equal(t, framed("FAIL", says), c.rest())
	}
}
