package wire

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"strconv"
	"time"
)

// Event is a server-sent event.
type Event struct {
	ID    string        // empty if the event has none
	Name  string        // empty means "message"
	Data  []byte        // without its last line end
	Retry time.Duration // how long to wait before reconnecting, or 0. It is only read
}

// AppendEvent appends the event to b. Data of several lines is written as several lines. ID and
// Name must not contain line ends.
func AppendEvent(b []byte, e Event) []byte {
	b = appendField(b, "id", []byte(e.ID))
	b = appendField(b, "event", []byte(e.Name))
	if len(e.Data) == 0 {
		return append(b, "data:\n\n"...)
	}
	for line := range bytes.SplitSeq(e.Data, []byte("\n")) {
		b = appendField(b, "data", bytes.TrimRight(line, "\r"))
	}
	return append(b, '\n')
}

func appendField(b []byte, name string, value []byte) []byte {
	if len(value) == 0 && name != "data" {
		return b
	}
	b = append(append(b, name...), ": "...)
	return append(append(b, value...), '\n')
}

// AppendComment appends a comment, which readers ignore, to b. It keeps a quiet stream alive.
func AppendComment(b []byte, text string) []byte {
	return append(append(append(b, ": "...), text...), "\n\n"...)
}

// Events reads events until r ends. An event without data is given when it has an id or says how
// long to wait. An event that r ends within is dropped. The last pair has the error of r, if it has
// one other than [io.EOF], or [ErrLong] for an event with more than most bytes of data.
func Events(r io.Reader, most int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := NewLines(r, most+len("data: "))
		var e Event
		for {
			line, err := lines.Next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil, len(e.Data) > most:
				yield(Event{}, cmp.Or(err, ErrLong))
				return
			case len(line) > 0:
				e.read(line)
				continue
			}
			if e.ID == "" && e.Data == nil && e.Retry == 0 {
				e = Event{}
				continue
			}
			if !yield(e, nil) {
				return
			}
			e = Event{}
		}
	}
}

// read reads a line of the event. A field that is not known is ignored.
func (e *Event) read(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "id":
		e.ID = string(value)
	case "event":
		e.Name = string(value)
	case "data":
		if e.Data != nil {
			e.Data = append(e.Data, '\n')
		}
		e.Data = append(e.Data, value...)
		if e.Data == nil {
			e.Data = []byte{}
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.Retry = time.Duration(ms) * time.Millisecond
		}
	}
}
