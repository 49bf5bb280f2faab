package mcptransport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// errLong is what readLine gives for a line over its limit, which it has skipped, with the line's
// two ends.
var errLong = errors.New("the line is too long")

// mostEnd is how many bytes are kept of each end of a line that is too long.
const mostEnd = 1 << 10

// lastID is the id of a request that is its last member, as some clients write it.
var lastID = lazyregexp.New(`[,{]\s*"id"\s*:\s*(-?\d{1,20}|"[^"\\]{1,200}")\s*\}$`)

// idOf is the id of a request that is too long to be read, by its two ends, nil when they do not
// tell. A line is bounded, and so is what is looked at: the id is one of the first members, or the
// last.
func idOf(ends []byte) json.RawMessage {
	head, tail := ends[:min(len(ends), mostEnd)], ends[max(len(ends)-mostEnd, 0):]
	d := json.NewDecoder(bytes.NewReader(head))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for {
		key, err := d.Token()
		if err != nil || key == "result" || key == "error" {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		if key == "id" && strings.ContainsRune(`"-0123456789`, rune(value[0])) {
			return value
		}
	}
	if m := lastID.FindSubmatch(tail); m != nil && bytes.Contains(head, []byte(`"method"`)) {
		return bytes.Clone(m[1])
	}
	return nil
}

// readLine gives the next line that is not blank, without its end. The last line needs none.
func readLine(r *bufio.Reader, most int64) ([]byte, error) {
	for {
		line, err := readAnyLine(r, most)
		if line = bytes.TrimSpace(line); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

func readAnyLine(r *bufio.Reader, most int64) ([]byte, error) {
	var line, end []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		// the limit is without the line's end
		if long = long || int64(len(line)+len(part)) > most+1; !long {
			line = append(line, part...)
		} else {
			line = line[:min(len(line), mostEnd)]
			if room := mostEnd - len(line); end == nil && room > 0 {
				line = append(line, part[:min(len(part), room)]...)
			}
			end = append(end, part...)
			end = end[max(len(end)-mostEnd, 0):]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return append(line, end...), errLong // an error of the reader comes again
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return line, err
		}
	}
}

// lineWriter writes whole lines, one at a time. After an error it writes nothing more. It is safe
// for concurrent use.
type lineWriter struct {
	mu   sync.Mutex
	w    io.Writer
	err  error
	fail func(error) // called at the first error

	closed atomic.Bool // whether nothing is written any more
}

// write writes data, which has no line ends, as a line.
func (lw *lineWriter) write(data []byte) {
	lw.mu.Lock()
	defer lw.mu.Unlock()
	if lw.err != nil || lw.closed.Load() {
		return
	}
	if _, lw.err = lw.w.Write(append(data, '\n')); lw.err != nil {
		lw.fail(lw.err)
	}
}
