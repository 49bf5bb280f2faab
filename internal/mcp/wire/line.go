package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrLong says that a line or an event is longer than its reader takes.
var ErrLong = errors.New("the line is too long")

// ErrClosed is what a closed [LineWriter] gives.
var ErrClosed = errors.New("the writer is closed")

// Lines reads lines of at most so many bytes. It is not safe for concurrent use.
type Lines struct {
	r    *bufio.Reader
	most int
}

// NewLines reads the lines of r that have at most so many bytes without their ends.
func NewLines(r io.Reader, most int) *Lines {
	return &Lines{bufio.NewReaderSize(r, 16<<10), most}
}

// Next returns the next line without its end, until the next call of a method. The last line needs
// no end. For a longer line it returns [ErrLong] and how the line begins: Skip leads to the line
// after it. After the last line the error is [io.EOF].
func (l *Lines) Next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
	}
	for errors.Is(err, bufio.ErrBufferFull) && len(line) <= l.most {
		var more []byte
		more, err = l.r.ReadSlice('\n')
		line = append(line, more...)
	}
	ended := bytes.HasSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	switch {
	case len(line) > l.most:
		if ended {
			_ = l.r.UnreadByte() // the line's end, for Skip
		}
		return line, ErrLong
	case errors.Is(err, io.EOF) && len(line) > 0:
		return line, nil
	}
	return line, err
}

// Skip reads up to the end of the line that Next returned the beginning of, and returns the last
// bytes of what it read, at most so many. An error of the reader comes with the next line.
func (l *Lines) Skip(most int) []byte {
	var end []byte
	for {
		part, err := l.r.ReadSlice('\n')
		end = append(end, part...)
		end = end[max(len(end)-most-len("\r\n"), 0):]
		if !errors.Is(err, bufio.ErrBufferFull) {
			end = bytes.TrimRight(end, "\r\n")
			return end[max(len(end)-most, 0):]
		}
	}
}

// LineWriter writes whole lines, one at a time. It is safe for concurrent use.
type LineWriter struct {
	mu     sync.Mutex
	w      io.Writer
	err    error // of the first write that failed
	closed atomic.Bool
}

// NewLineWriter writes lines to w.
func NewLineWriter(w io.Writer) *LineWriter { return &LineWriter{w: w} }

// Write writes data, which contains no line ends, as a line, for which it may use data's capacity.
// After an error nothing more is written, and it is returned again.
func (lw *LineWriter) Write(data []byte) error {
	lw.mu.Lock()
	defer lw.mu.Unlock()
	if lw.closed.Load() {
		return ErrClosed
	}
	if lw.err == nil {
		_, lw.err = lw.w.Write(append(data, '\n'))
	}
	return lw.err
}

// Close makes further writes fail with [ErrClosed]. It does not wait for one that is under way, and
// leaves the underlying writer open.
func (lw *LineWriter) Close() { lw.closed.Store(true) }
