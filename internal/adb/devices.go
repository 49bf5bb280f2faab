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

func parseDevices(list string) ([]Entry, error) {
	entries := []Entry{}
	for line := range strings.Lines(list) {
		line = strings.Replace(line, "(no serial number)", "(no-serial-number)", 1)
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 2 {
			return nil, fmt.Errorf("adb host:devices-l: %w: line %q", ErrProtocol, line)
		}
		entries = append(entries, parseEntry(fields))
	}
	return entries, nil
}

func parseEntry(fields []string) Entry {
	e := Entry{Serial: fields[0], State: fields[1], Props: map[string]string{}}
	for _, f := range fields[2:] {
		if key, value, ok := strings.Cut(f, ":"); ok && knownProps[key] {
			e.Props[key] = value
		} else if len(e.Props) == 0 && strings.HasPrefix(e.State, "no") {
			e.State += " " + f
		}
	}
	return e
}
