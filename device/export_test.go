package device

import "time"

// ShortenWaits makes the host's phones count early as ones that will not: those of these tests
// answer at once or never.
func (h *Host) ShortenWaits() {
	h.waits = waits{list: time.Second, field: 50 * time.Millisecond, wake: 300 * time.Millisecond}
}

// ParseRows is parseRows.
var ParseRows = parseRows

// ParseCrashes is parseCrashes.
var ParseCrashes = parseCrashes
