package tty

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/taploop/taploop/internal/text"
)

// Status is a terminal whose last line says what is being done and for how long, and is
// rewritten while that goes on. What is written to it comes above that line. Any number of
// goroutines may use it.
type Status struct {
	f *os.File

	mu    sync.Mutex
	doing string // "" shows nothing
	since time.Time
	width int           // columns of the shown text, 0 if missing
	end   chan struct{} // ends the rewriting, nil if nothing is rewritten
	wg    sync.WaitGroup
}

// NewStatus returns a Status on the terminal, with nothing shown.
func NewStatus(f *os.File) *Status { return &Status{f: f} }

// Write implements io.Writer.
func (s *Status) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	defer s.draw()
	return s.f.Write(p)
}

// Unwrap is the terminal itself.
func (s *Status) Unwrap() io.Writer { return s.f }

// Show says what is being done from now on; "" shows nothing. What is shown is rewritten until
// there is nothing. A nil line shows nothing.
func (s *Status) Show(doing string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.erase()
	s.doing, s.since = text.Line(doing), time.Now()
	s.draw()
	ended := doing == "" && s.end != nil
	switch {
	case ended:
		close(s.end)
		s.end = nil
	case doing != "" && s.end == nil:
		end := make(chan struct{})
		s.end = end
		s.wg.Go(func() { s.rewrite(end) }) // ends with the next show("")
	}
	s.mu.Unlock()
	if ended {
		s.wg.Wait()
	}
}

func (s *Status) rewrite(end <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			s.erase()
			s.draw()
			s.mu.Unlock()
		case <-end:
			return
		}
	}
}

// draw shows the line. Errors of the terminal are ignored: there is nowhere else to show it.
func (s *Status) draw() {
	if s.doing == "" {
		return
	}
	line := s.doing
	if d := time.Since(s.since).Truncate(time.Second); d > 0 {
		line += " " + d.String()
	}
	if columns := Columns(s.f); columns > 0 {
		line = ansi.Truncate(line, columns-1, text.Ellipsis) // a full line would wrap
	}
	s.width = ansi.StringWidth(line)
	_, _ = s.f.WriteString(line)
}

// erase erases the line. A terminal that was made narrower has wrapped it.
func (s *Status) erase() {
	if s.width == 0 {
		return
	}
	up := ""
	if columns := Columns(s.f); columns > 0 && s.width > columns {
		up = fmt.Sprintf("\x1b[%dA", (s.width-1)/columns)
	}
	_, _ = s.f.WriteString("\r" + up + "\x1b[J")
	s.width = 0
}

// StatusOf returns the status line of the terminal that a stream leads to, or nil.
func StatusOf(stream any) *Status {
	w, _ := stream.(*text.Writer)
	if w == nil {
		return nil
	}
	s, _ := w.Unwrap().(*Status)
	return s
}
