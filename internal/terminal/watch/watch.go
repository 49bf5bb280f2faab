package watch

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/internal/words"
)

var textsIn = words.Of[texts]("watch")

// every is how often the board is read.
const every = 500 * time.Millisecond

// Screen is where the view is shown, and where keys come from.
type Screen interface {
	Draw(lines []string) error
	Keys() <-chan string // closed at the end of the input
	Size() (columns, rows int)
}

// show is a view while it is watched: what comes from elsewhere reaches it through channels.
type show struct {
	*view
	source  Source
	prompts chan prompt   // of the question that is asked
	ended   chan error    // of the asking
	typed   chan<- string // the answer to the last prompt
	cancel  context.CancelCauseFunc
	asking  sync.WaitGroup
}

// prompt is one line that is wanted.
type prompt struct {
	words  string
	secret bool
	answer chan<- string
}

// errLeft says that the person has left a question open.
var errLeft = errors.New("left open")

// errElsewhere says that a question was settled elsewhere while it was asked.
var errElsewhere = errors.New("settled elsewhere")

// Show shows the boards of a source on a screen in a language, until the person leaves, the input
// ends or ctx ends. It returns when all that it has started has ended.
func Show(ctx context.Context, to Screen, from Source, paint tty.Painter, lang string) error {
	s := &show{view: &view{lang: lang, words: textsIn(lang), said: story.In(lang), paint: paint},
		source: from, prompts: make(chan prompt), ended: make(chan error, 1)}
	ctx, end := context.WithCancel(ctx)
	defer s.asking.Wait()
	defer end()
	boards := make(chan Board)
	failed := make(chan error, 1)
	s.asking.Go(func() { failed <- read(ctx, from, boards) })
	for {
		if err := to.Draw(s.lines(to.Size())); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case b := <-boards:
			s.see(b)
			if s.typing != nil && !s.asked(s.typing.question) {
				s.cancel(errElsewhere)
			}
		case p := <-s.prompts:
			s.typing.prompt, s.typing.secret, s.typing.typed = p.words, p.secret, nil
			s.typed = p.answer
		case err := <-s.ended:
			s.over(err)
		case k, open := <-to.Keys():
			if !open || s.do(ctx, s.key(k)) {
				return nil
			}
		}
	}
}

// read hands boards on until ctx ends.
func read(ctx context.Context, from Source, boards chan<- Board) error {
	for {
		b, err := from.Board(ctx)
		if err != nil {
			return err
		}
		select {
		case boards <- b:
		case <-ctx.Done():
			return nil
		}
		if wait.For(ctx, every) != nil {
			return nil
		}
	}
}

// do carries an order out, and reports whether the person leaves.
func (s *show) do(ctx context.Context, o order) (leaves bool) {
	switch o {
	case leave:
		return true
	case ask:
		s.ask(ctx)
	case stop:
		s.note = s.words.Stopped
		if err := s.source.Stop(ctx, s.sure); err != nil {
			s.note = err.Error()
		}
		s.sure = ""
	case sent:
		if s.typed != nil { // else the answer before is still on its way
			s.typed <- strings.Join(s.typing.typed, "")
			s.typed, s.typing.typed = nil, nil
		}
	case quit:
		s.cancel(errLeft)
	}
	return false
}

// ask asks the chosen question, beside the view.
func (s *show) ask(ctx context.Context) {
	i := slices.IndexFunc(s.board.Questions, func(q inquiry.Question) bool {
		return q.ID == s.chosen
	})
	q := s.board.Questions[i]
	ctx, s.cancel = context.WithCancelCause(ctx)
	s.typing = &typing{question: q.ID, secret: q.Secret}
	s.asking.Go(func() { s.ended <- s.source.Ask(ctx, s, q) }) // ends with cancel
}

// Ask implements terminal.Lines, for the goroutine that asks.
func (s *show) Ask(ctx context.Context, words string, secret bool) (string, error) {
	answer := make(chan string, 1)
	select {
	case s.prompts <- prompt{words, secret, answer}:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	select {
	case line := <-answer:
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// over says what became of the question that was asked.
func (s *show) over(err error) {
	s.cancel(nil)
	s.typing, s.typed = nil, nil
	switch {
	case err == nil:
		s.note = s.words.Answered
	case errors.Is(err, errElsewhere):
		s.note = s.words.Elsewhere
	case errors.Is(err, errLeft), errors.Is(err, io.EOF):
		s.note = s.words.Left
	default:
		s.note = err.Error()
	}
}
