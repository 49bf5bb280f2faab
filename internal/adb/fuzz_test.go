package adb

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// The law: a whole result or an error, and never more output than the limit.
func FuzzReadPackets(f *testing.F) {
	f.Add([]byte("\x01\x02\x00\x00\x00hi\x02\x01\x00\x00\x00!\x03\x01\x00\x00\x00\x00"))
	f.Add([]byte("\x01\xff\xff\xff\xff"))
	f.Add([]byte("\x03\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 64
		r, err := readPackets(bytes.NewReader(b), limit)
		if len(r.Stdout)+len(r.Stderr) > limit {
			t.Fatalf("%d bytes of output, limit %d", len(r.Stdout)+len(r.Stderr), limit)
		}
		if err != nil && r != (Result{}) {
			t.Fatalf("a result %+v along with %v", r, err)
		}
		if err == nil && !bytes.Contains(b, []byte{3, 1, 0, 0, 0, byte(r.Code)}) {
			t.Fatalf("exit code %d was never sent", r.Code)
		}
	})
}

// The law: as many phones as lines that are not blank, each with a serial and a state that stand in
// its line.
func FuzzParseDevices(f *testing.F) {
	f.Add("emulator-5554 device product:sdk model:Pixel transport_id:1\n")
	f.Add("???? no permissions (see [http://x]) usb:1-1 transport_id:4\n(no serial number) " +
		"device\n")
	f.Add("alone\n")
	f.Fuzz(func(t *testing.T, list string) {
		entries, err := parseDevices(list)
		if err != nil {
			return
		}
		lines := 0
		for line := range strings.Lines(list) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			e := entries[lines]
			if e.Serial == "" || e.State == "" {
				t.Fatalf("%+v from %q", e, line)
			}
			lines++
		}
		if lines != len(entries) {
			t.Fatalf("%d phones from %d lines", len(entries), lines)
		}
	})
}

// The law: the shell hands the argument over as it is, and does nothing else with it.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a b", "'", `"`, "$(touch canary)", "`id`", "a;b", "\\", "\n",
		"*", "~", "-n", "#", "!!", "%s", "a=b", "{a,b}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) {
			return
		}
		out, err := exec.Command("/bin/sh", "-c", Quote("printf", "%s|", s, "end")).CombinedOutput()
		if err != nil || string(out) != s+"|end|" {
			t.Fatalf("got %q, %v; want %q", out, err, s+"|end|")
		}
	})
}
