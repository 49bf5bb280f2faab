package watch_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/terminal/watch"
)

// screen keeps what is drawn, and is typed at by the test.
type screen struct {
	columns, rows int
	keys          chan string
	mu            sync.Mutex
	lines         []string
}

func (s *screen) Draw(lines []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = lines
	return nil
}

func (s *screen) Keys() <-chan string { return s.keys }

func (s *screen) Size() (columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.columns, s.rows
}

func (s *screen) resize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns, s.rows = columns, rows
}

func (s *screen) shown() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

// source is a store of questions and tasks in memory.
type source struct {
	mu      sync.Mutex
	board   watch.Board
	err     error
	replies []string
	stopped []string
}

func (s *source) Board(context.Context) (watch.Board, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.board
	b.At = time.Now()
	return b, s.err
}

// Ask takes any answer but "wrong".
func (s *source) Ask(ctx context.Context, lines terminal.Lines, q inquiry.Question) error {
	prompt := q.Text
	for {
		line, err := lines.Ask(ctx, prompt, q.Secret)
		if err != nil {
			return err
		}
		if line != "wrong" {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.replies = append(s.replies, line)
			s.board.Questions = nil
			return nil
		}
		prompt = "once more"
	}
}

func (s *source) Stop(_ context.Context, session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = append(s.stopped, session)
	if session == "s9" {
		return errors.New("nothing runs")
	}
	return nil
}

func (s *source) change(how func(*watch.Board)) {
	s.mu.Lock()
	how(&s.board)
	s.mu.Unlock()
	<-time.After(time.Second) // in the bubble
}

func tasks() []watch.Task {
	begun := time.Now()
	return []watch.Task{
		{Session: "s1", Phone: "emu-1", Title: "Buy shoes", State: store.WaitingReply, Begun: begun,
			Steps: []watch.Step{{Index: 1, Said: "opened Shop", Mark: tty.Span{Text: "✓"}}}, Taken: 1},
		{Session: "s2", Phone: "emu-2", Title: "Set an alarm", State: store.Running, Begun: begun,
			Steps: []watch.Step{{Index: 1, Said: "opened Clock", Mark: tty.Span{Text: "✓"}},
				{Index: 2, Said: "tapped: \x1b[2Jadd", Mark: tty.Span{Text: "✗"}}}, Taken: 2, Most: 9},
		{Session: "s3", Phone: "emu-1", Title: "Write to Anna", State: store.Completed,
			Answer: "It is sent.", Begun: begun, Ended: begun.Add(time.Minute)},
	}
}

// watched runs the view in a bubble, and hands the test what it needs.
func watched(t *testing.T, lang string, board watch.Board,
	test func(t *testing.T, s *screen, from *source, ended chan error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &screen{columns: 80, rows: 24, keys: make(chan string)}
		from, ended := &source{board: board}, make(chan error, 1)
		go func() { ended <- watch.Show(t.Context(), s, from, tty.Painter{}, lang) }()
		test(t, s, from, ended)
	})
}

// types presses keys one after the other; text is typed by characters.
func (s *screen) types(keys ...string) {
	for _, k := range keys {
		if name, is := strings.CutPrefix(k, "<"); is {
			s.keys <- strings.TrimSuffix(name, ">")
			continue
		}
		for _, r := range k {
			s.keys <- string(r)
		}
	}
}

func TestWhatRunsIsShownAndAnsweredThere(t *testing.T) {
	asked := []inquiry.Question{{ID: "q1", SessionID: "s1", Text: "Which size?", AskedAt: time.Now()}}
	watched(t, "en", watch.Board{Questions: asked, Tasks: tasks(), Phones: map[string]string{
		"emu-1": "device", "emu-2": "device", "emu-3": "offline", "emu-4": "device"}},
		func(t *testing.T, s *screen, from *source, ended chan error) {
			shown := s.shown()
			for _, want := range []string{"2 running, 1 to answer", "› ? Which size?",
				"emu-2  step 2 of 9  tapped: [2Jadd", "    Set an alarm", "emu-3  offline",
				"emu-4  free", "✓ Write to Anna"} {
				require.Contains(t, shown, want)
			}
			require.NotContains(t, shown, "emu-1  free", "it is in use")
			require.NotContains(t, shown, "\x1b")

			s.types("<enter>")
			require.Contains(t, s.shown(), "Which size?\n> ▏")
			s.types("wrong", "<enter>")
			require.Contains(t, s.shown(), "once more\n> ▏")
			s.types("4x", "<backspace>", "2q")
			require.Contains(t, s.shown(), "> 42q▏", "q is a letter here")
			s.types("<backspace>", "<enter>")
			require.Contains(t, s.shown(), "Answered.")
			require.Equal(t, []string{"42"}, from.replies)
			from.change(func(*watch.Board) {})
			require.NotContains(t, s.shown(), "Which size?")
			s.types("q")
			require.NoError(t, <-ended)
		})
}

func TestAQuestionIsLeftOpenOrSettledElsewhere(t *testing.T) {
	asked := []inquiry.Question{{ID: "q1", Text: "The code?", Secret: true, AskedAt: time.Now()}}
	watched(t, "zh", watch.Board{Questions: asked, Tasks: tasks()},
		func(t *testing.T, s *screen, from *source, ended chan error) {
			s.shown()
			s.types("<enter>")
			s.shown() // what is typed before the prompt is there is no answer to it
			s.types("1234")
			shown := s.shown()
			require.NotContains(t, shown, "1234")
			require.Contains(t, shown, "不会显示")
			s.types("<esc>")
			require.Contains(t, s.shown(), "问题仍未回答。")
			require.Empty(t, from.replies)

			s.types("<enter>")
			from.change(func(b *watch.Board) { b.Questions = nil })
			require.Contains(t, s.shown(), "问题已在别处得到处理。")
			close(s.keys) // the terminal is gone
			require.NoError(t, <-ended)
			require.Empty(t, from.replies)
		})
}

func TestATaskIsLookedAtAndStoppedAfterASecondWord(t *testing.T) {
	watched(t, "en", watch.Board{Tasks: tasks()},
		func(t *testing.T, s *screen, from *source, ended chan error) {
			s.shown()
			s.types("<down>", "<enter>")
			shown := s.shown()
			require.Contains(t, shown, "Task: Set an alarm")
			require.Contains(t, shown, "✗  2 tapped: [2Jadd")
			s.types("s")
			require.Contains(t, s.shown(), "Stop this task?")
			s.types("n")
			require.NotContains(t, s.shown(), "Stop this task?")
			require.Empty(t, from.stopped)
			s.types("sy")
			require.Contains(t, s.shown(), "The task is stopped.")
			require.Equal(t, []string{"s2"}, from.stopped)
			s.types("<esc>", "<down>", "s")
			require.NotContains(t, s.shown(), "Stop this task?", "it has ended")
			s.types("<enter>")
			require.Contains(t, s.shown(), "Answer: It is sent.")
			s.types("<ctrl+c>")
			require.NoError(t, <-ended)
		})
}

func TestTheChosenLineIsAlwaysOnTheScreen(t *testing.T) {
	var many []watch.Task
	for i := range 12 {
		many = append(many, watch.Task{Session: fmt.Sprint("s", i), Phone: fmt.Sprint("phone-", i),
			Title: strings.Repeat("很长的任务 ", 30), State: store.Running, Taken: 1,
			Steps: []watch.Step{{Said: strings.Repeat("a long step ", 30)}}})
	}
	watched(t, "en", watch.Board{Tasks: many},
		func(t *testing.T, s *screen, _ *source, ended chan error) {
			for _, size := range [][2]int{{80, 24}, {40, 8}, {120, 50}, {20, 3}} {
				s.resize(size[0], size[1])
				for range 13 {
					s.types("<down>")
					shown := s.shown()
					require.Contains(t, shown, "› ", "%v", size)
					lines := strings.Split(shown, "\n")
					require.LessOrEqual(t, len(lines), max(size[1], 4))
					for _, line := range lines[1:] {
						require.LessOrEqual(t, ansi.StringWidth(line), max(size[0], 74), "%q", line)
					}
				}
				for range 13 {
					s.types("<up>")
				}
			}
			s.types("q")
			require.NoError(t, <-ended)
		})
}

// crowded is a board of which half fits on a screen.
func crowded() watch.Board {
	at := time.Now()
	b := watch.Board{Trouble: "adb: no server",
		Phones: map[string]string{"emu-0": "device", "pixel": "offline", "tablet": "device"}}
	for i := range 7 {
		id := fmt.Sprint("c", i)
		b.Tasks = append(b.Tasks, watch.Task{Session: id, Phone: fmt.Sprint("emu-", i),
			Title: "Count to " + id, State: store.Running, Begun: at, Taken: i + 1, Most: 20,
			Steps: []watch.Step{{Index: i, Said: "opened Clock"}}})
		b.Questions = append(b.Questions, inquiry.Question{ID: "q" + id, SessionID: id,
			Text: "Which of " + id + "?", AskedAt: at})
	}
	b.Tasks = append(b.Tasks, tasks()[2])
	return b
}

func TestEveryPartOfACrowdedBoardIsReachedByTheArrows(t *testing.T) {
	golden.Run(t, "testdata/screens", func(t *testing.T, c *golden.Case) {
		watched(t, "en", watch.Board{}, func(t *testing.T, s *screen, from *source, ended chan error) {
			const here = "\n› "
			s.shown()
			from.change(func(b *watch.Board) { *b = crowded() })
			want := func(section string) { // without the time of day
				c.Want(t, section, regexp.MustCompile(` +\d\d:\d\d:\d\d\n`).ReplaceAllString(s.shown(), "\n"))
			}
			want("as it opens")
			seen := map[string]bool{}
			for range 40 {
				shown := s.shown()
				for _, part := range []string{"Waiting for you", "Running", "Phones", "Recent",
					"  emu-0  free"} {
					seen[part] = seen[part] || strings.Contains(shown, part)
				}
				if strings.Contains(shown, here+"pixel") {
					want("at a phone")
					from.change(func(b *watch.Board) { b.Phones["pixel"] = "device" })
					require.Contains(t, s.shown(), here+"pixel  free", "it stays chosen")
					s.types("<enter>", "s")
					require.Contains(t, s.shown(), here+"pixel  free", "it is no task")
				}
				if strings.Contains(shown, here+"✓ Write to Anna") {
					want("at the end")
				}
				s.types("<down>")
			}
			require.Equal(t, map[string]bool{"Waiting for you": true, "Running": true, "Phones": true,
				"Recent": true, "  emu-0  free": false}, seen)
			require.True(t, c.Has("at a phone") && c.Has("at the end"))
			s.types("q")
			require.NoError(t, <-ended)
		})
	})
}

func TestAPhoneIsChosenByAPersonOnly(t *testing.T) {
	watched(t, "en", watch.Board{Phones: map[string]string{"pixel": "device"}},
		func(t *testing.T, s *screen, from *source, ended chan error) {
			require.Contains(t, s.shown(), "\n  pixel  free")
			from.change(func(b *watch.Board) { b.Tasks = tasks() })
			require.Contains(t, s.shown(), "› emu-1", "what comes is chosen")
			s.types("<down>", "<down>")
			require.Contains(t, s.shown(), "› pixel")
			from.change(func(b *watch.Board) { delete(b.Phones, "pixel") })
			require.Contains(t, s.shown(), "› emu-1", "it is gone")
			s.types("q")
			require.NoError(t, <-ended)
		})
}

func TestAStoreThatCannotBeReadEndsTheView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{columns: 80, rows: 24, keys: make(chan string)}
		broken := errors.New("the disk is full")
		require.ErrorIs(t, watch.Show(t.Context(), s, &source{err: broken}, tty.Painter{}, "en"),
			broken)
	})
}
