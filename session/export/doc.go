// Package export writes a session down for others to look at: as one HTML page, or as the trace
// that gelab-zero writes.
package export
