package mcptransport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// errLong is what readLine gives for a line over its limit, which it has skipped.
var errLong = errors.New("the line is too long")

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
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		// the limit is without the line's end
		if long = long || int64(len(line)+len(part)) > most+1; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLong // an error of the reader comes again
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
