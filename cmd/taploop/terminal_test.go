package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/text"
)

func TestWordsOfPhonesAndServersDoNotSteerTheTerminal(t *testing.T) {
	const evil = "x\x1b[2J\u202e\u200b\nSERIAL  device  y"
	var out bytes.Buffer
	var below bytes.Buffer
	require.NoError(t, printPhones(&invocation{streams: streams{out: &out, err: &below}}, false,
		[]device.PhoneInfo{{Serial: evil, State: evil, Model: evil, Android: evil}}))
	harmless(t, out.String())
	harmless(t, below.String())
	require.Equal(t, 2, strings.Count(out.String(), "\n"), "a phone has one line:\n%s",
		out.String())

	out.Reset()
	require.Equal(t, exitError,
		report(&out, "en", hint.Add(errors.New("phone "+evil), evil)))
	harmless(t, out.String())
	require.Equal(t,
		"taploop: phone x[2J\n    SERIAL  device  y\n  try: x[2J\n       SERIAL  device  y\n",
		out.String())

	code, errs := devicesOf(t, "\x1b]0;mine\x07\ntaploop: all is well")
	require.Equal(t, exitPhone, code)
	harmless(t, errs)
	require.NotContains(t, errs, "\ntaploop: all is well")
	require.Contains(t, errs, "all is well")
}

func harmless(t *testing.T, printed string) {
	t.Helper()
	require.Equal(t, -1, strings.IndexFunc(printed, text.Dangerous), "%q", printed)
}

// devicesOf lists the phones of an ADB server that refuses everything, with that reason.
func devicesOf(t *testing.T, reason string) (code int, errs string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprintf(c, "FAIL%04x%s", len(reason), reason)
			c.Close()
		}
	}()
	var out, failed bytes.Buffer
	code = run(t.Context(), []string{"devices", "--adb-server", l.Addr().String()},
		[]string{"HOME=" + t.TempDir()},
		streams{in: strings.NewReader(""), out: &out, err: &failed})
	return code, failed.String()
}

func TestOrdinaryTroubleIsSaidInThePersonsLanguageFirst(t *testing.T) {
	var out bytes.Buffer
	held := runs.Refuse(runs.DeviceBusy, "wait", "held")
	require.Equal(t, exitPhone, report(&out, "zh", held))
	require.Equal(t, story.In("zh").InFront["DEVICE_BUSY"]+"\ntaploop: held\n  建议：wait\n",
		out.String())
	out.Reset()
	held = runs.Refuse(runs.SessionNotFound, "give more of the id", "there is no session %q", "x")
	require.Equal(t, exitError, report(&out, "zh", held))
	require.Equal(t, "taploop: 没有会话 \"x\"\n  建议：用 taploop sessions list 查看，并给出其中一个的编号\n",
		out.String(), "what is said in the person's language needs no words in front")
	out.Reset()
	report(&out, "zh", errors.New("x"))
	require.Equal(t, "taploop: x\n", out.String(), "what is not known has no words in front")
}
