package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/tools/result"
)

func TestAPhoneThatIsListedAndCannotBeUsedHasACodeOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct{ list, serial, code, hint string }{
		"offline":        {"a\toffline\nb\tdevice\n", "a", "DEVICE_OFFLINE", "check the cable"},
		"connecting":     {"a\tconnecting\n", "a", "DEVICE_OFFLINE", "check the cable"},
		"in recovery":    {"a\trecovery\n", "a", "DEVICE_OFFLINE", "adb reboot"},
		"the only one":   {"a\toffline\n", "", "DEVICE_OFFLINE", "check the cable"},
		"unauthorized":   {"a\tunauthorized\n", "a", "DEVICE_UNAUTHORIZED", "Allow USB debugging?"},
		"no permissions": {"a\tno permissions\n", "a", "DEVICE_UNAUTHORIZED", "udev"},
		"refusing":       {"a\tdevice\n", "a", "DEVICE_OFFLINE", "does not offer this service"},
		"absent":         {"a\toffline\n", "x", "DEVICE_NOT_FOUND", "use one of: a (offline)"},
		"none":           {"", "", "DEVICE_NOT_FOUND", "plug a phone in"},
	} {
		args := []string{"run", "--json", "--adb-server", serverOf(t, c.list), "tap"}
		if c.serial != "" {
			args = append(args, "-s", c.serial)
		}
		var out, errs bytes.Buffer
		code := run(t.Context(), args, []string{"HOME=" + t.TempDir()},
			streams{in: strings.NewReader(""), out: &out, err: &errs})
		require.Equal(t, exitPhone, code, "%s: %s", name, errs.String())
		var got struct {
			Error *result.Failure
			Next  *nextCommand
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &got), "%s: %s%s", name, &out, &errs)
		require.Equal(t, c.code, got.Error.Code, name)
		require.Contains(t, got.Error.Hint, c.hint, name)
		require.Equal(t, "taploop devices", got.Next.Command, name)
	}
}

func TestAnADBServerThatDoesNotAnswerHasACodeOfItsOwn(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	for _, args := range [][]string{{"run", "--json", "tap"}, {"run", "--json", "-s", "a", "tap"}} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append(args, "--adb-server", l.Addr().String()),
			[]string{"HOME=" + t.TempDir(), "TAPLOOP_ADB_PATH=/no/adb"},
			streams{in: strings.NewReader(""), out: &out, err: &errs})
		require.Equal(t, exitPhone, code, errs.String())
		var got struct{ Error *result.Failure }
		require.NoError(t, json.Unmarshal(out.Bytes(), &got), "%s%s", &out, &errs)
		require.Equal(t, "ADB_UNREACHABLE", got.Error.Code)
		require.Contains(t, got.Error.Hint, "adb")
	}
}

// serverOf is the address of an ADB server that has these phones, and does nothing else.
func serverOf(t *testing.T, list string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			var size int
			if _, err := fmt.Fscanf(c, "%04x", &size); err == nil {
				asked := make([]byte, size)
				_, _ = io.ReadFull(c, asked)
				if strings.HasPrefix(string(asked), "host:devices") {
					fmt.Fprintf(c, "OKAY%04x%s", len(list), list)
				} else {
					fmt.Fprint(c, "FAIL0006closed")
				}
			}
			c.Close()
		}
	}()
	return l.Addr().String()
}
