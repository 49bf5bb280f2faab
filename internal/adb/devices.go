package adb

import (
	"context"
	"fmt"
	"strings"
)

// Entry is one line of the server's device list.
type Entry struct {
	Serial string
	State  string            // device, offline, unauthorized, ... or "no permissions (...)"
	Props  map[string]string // product, model, device, transport_id, usb
}

// Devices lists the phones that the server has, in its order.
func (c *Client) Devices(ctx context.Context) ([]Entry, error) {
	s, err := c.Host(ctx, "host:devices-l")
	if err != nil {
		return nil, err
	}
	return parseDevices(s)
}

// knownProps are the names that follow the state. Only they end "no permissions (...)", whose words
// hold colons.
var knownProps = map[string]bool{"usb": true, "product": true, "model": true, "device": true,
	"transport_id": true, "features": true}

// states are the words for a phone's state, as the server writes them (connection_state_is_... and
// ConnectionState in AOSP's adb). Behind "no permissions" stands what to do about it.
var states = []string{"device", "offline", "unauthorized", "authorizing", "connecting",
	"no permissions", "recovery", "rescue", "sideload", "bootloader", "host", "detached", "unknown"}

func parseDevices(list string) ([]Entry, error) {
	entries := []Entry{}
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		line = strings.Replace(line, "(no serial number)", "(no-serial-number)", 1)
		serial, rest := cutState(line)
		if rest == "" {
			return nil, fmt.Errorf("adb host:devices-l: %w: line %q", ErrProtocol, line)
		}
		entries = append(entries, parseEntry(serial, strings.Fields(rest)))
	}
	return entries, nil
}

// cutState splits a line in front of the state: the first word for one that stands apart. A serial
// may hold blanks, as mDNS gives a second phone of one name: "adb-X (2)._adb-tls-connect._tcp".
func cutState(line string) (serial, rest string) {
	for at := range line {
		if at == 0 || line[at-1] != ' ' && line[at-1] != '\t' {
			continue
		}
		for _, state := range states {
			after, is := strings.CutPrefix(line[at:], state)
			if is && (after == "" || after[0] == ' ' || after[0] == '\t' || after[0] == ';') {
				return strings.TrimSpace(line[:at]), line[at:]
			}
		}
	}
	serial, rest, _ = strings.Cut(line, " ") // a state that is not known
	return serial, strings.TrimSpace(rest)
}

func parseEntry(serial string, fields []string) Entry {
	e := Entry{Serial: serial, State: fields[0], Props: map[string]string{}}
	for _, f := range fields[1:] {
		if key, value, ok := strings.Cut(f, ":"); ok && knownProps[key] {
			e.Props[key] = value
		} else if len(e.Props) == 0 && strings.HasPrefix(e.State, "no") {
			e.State += " " + f
		}
	}
	return e
}
