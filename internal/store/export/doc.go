// Package export is a stored session as others see it: steps in words, one HTML page, or the trace
// that gelab-zero writes.
package export
