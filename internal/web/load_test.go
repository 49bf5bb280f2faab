package web_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

const (
	manyQuestions = 1000
	manyListeners = 200
	promised      = time.Second // until everybody has an answer
)

// crowd opens many questions and returns them, oldest first.
func (g *rig) crowd(many int) []inquiry.Question {
	g.t.Helper()
	list := make([]inquiry.Question, many)
	for i := range list {
		var err error
		list[i], err = g.broker.Open(g.t.Context(),
			inquiry.Question{Client: "ann", Task: "book the train to the meeting",
				Text: fmt.Sprintf("question %d: %s", i,
					strings.Repeat("which of these is meant? ", 10)),
				Body: &inquiry.Ask{Options: []string{"the first", "the second"}}})
		require.NoError(g.t, err)
	}
	for h := g.probe.next(); !strings.Contains(h.data,
		list[many-1].ID); h = g.probe.next() {
		require.NotEmpty(g.t, h.name, "the stream has ended")
	}
	return list
}

// sparing is a listener that holds little memory itself: one small buffer, and no goroutine.
type sparing struct {
	conn net.Conn
	body *bufio.Reader
}

func (g *rig) spare() *sparing {
	g.t.Helper()
	conn, err := net.Dial("tcp", g.http.Listener.Addr().String())
	require.NoError(g.t, err)
	g.t.Cleanup(func() { _ = conn.Close() })
	req, err := http.NewRequest("GET", g.http.URL+"/v1/events", nil)
	require.NoError(g.t, err)
	req.Header.Set("Authorization", "Bearer "+g.ann)
	require.NoError(g.t, req.Write(conn))
	res, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), req)
	require.NoError(g.t, err)
	require.Equal(g.t, 200, res.StatusCode)
	return &sparing{conn, bufio.NewReaderSize(res.Body, 512)}
}

// next is the next event's name, id and the beginning of its data.
func (s *sparing) next() (h happening, err error) {
	for {
		line, err := s.body.ReadSlice('\n')
		for rest := err; errors.Is(rest, bufio.ErrBufferFull); { // a snapshot is one long line
			line = bytes.Clone(line)
			_, rest = s.body.ReadSlice('\n')
			err = rest
		}
		if err != nil {
			return h, err
		}
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), ": ")
		switch key {
		case "event":
			h.name = value
		case "id":
			h.id = value
		case "data":
			h.data = value
		case "":
			if h.name != "" && h.name != "ping" {
				return h, nil
			}
		}
	}
}

// listeners connects many, at most some at a time, and waits until each has its snapshot.
func (g *rig) listeners(many int) []*sparing {
	g.t.Helper()
	all := make([]*sparing, many)
	for i := range all {
		all[i] = g.spare()
	}
	var wg sync.WaitGroup
	errs := make([]error, len(all))
	for i, s := range all {
		wg.Go(func() {
			h, err := s.next()
			if err == nil && h.name != "snapshot" {
				err = fmt.Errorf("the first event is %q", h.name)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	require.NoError(g.t, errors.Join(errs...))
	return all
}

func TestEveryListenerHearsEverythingOnceAndInOrder(t *testing.T) {
	const settled = 40
	g := newRig(t, nil)
	questions := g.crowd(100)
	all := g.listeners(100)
	for i, q := range questions[:settled] {
		switch i % 4 {
		case 0:
			require.NoError(t, g.broker.Withdraw(t.Context(), q.ID, "not needed any more"))
		case 1:
			q, err := g.broker.Open(t.Context(), inquiry.Question{Client: "ann", Text: "one more?"})
			require.NoError(t, err)
			questions[i] = q
		case 2:
			_, err := g.broker.Open(t.Context(),
				inquiry.Question{Client: "ben", Text: "for somebody else?"})
			require.NoError(t, err)
			fallthrough
		default:
			require.Equal(t, 200, g.post("/v1/inquiries/"+q.ID+"/reply", g.ann,
				`{"response":"the first"}`).status)
		}
	}
	names := []string{"inquiry.withdrawn", "inquiry.created", "inquiry.resolved",
		"inquiry.resolved"}
	var wg sync.WaitGroup
	errs := make([]error, len(all))
	for n, s := range all {
		wg.Go(func() {
			for i, q := range questions[:settled] {
				h, err := s.next()
				if err != nil || h.name != names[i%4] || !strings.Contains(h.data, q.ID) {
					errs[n] = fmt.Errorf("listener %d, event %d: %s %.80s, want %s of %s: %w", n, i,
						h.name, h.data, names[i%4], q.ID, errors.Join(err, errOrder))
					return
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

var errOrder = errors.New("not what happened")

// BenchmarkAnAnswerReachesAllListeners is from before an answer is sent over HTTP until the last of
// the listeners has it, with many questions open, the store on disk, and the broker sweeping.
// p50-ms and p100-ms are the middle and the slowest of all answers. It fails when one of them has
// not reached everybody within the time that is promised.
func BenchmarkAnAnswerReachesAllListeners(b *testing.B) {
	g := newRig(b, nil)
	questions := g.crowd(manyQuestions)
	ctx, stop := context.WithCancel(b.Context())
	sweeping := make(chan error, 1)
	go func() { sweeping <- g.broker.Run(ctx, func(err error) { b.Error(err) }) }()
	before := heap()
	all := g.listeners(manyListeners)
	held := heap() - before
	heard := make(chan error, 2*len(all)) // an event and an end of each
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(func() {
			for {
				h, err := s.next()
				if h.name == "inquiry.resolved" || err != nil {
					heard <- err
				}
				if err != nil {
					return
				}
			}
		})
	}
	var took []time.Duration
	n := 0
	for b.Loop() {
		if n == len(questions) {
			b.StopTimer()
			questions, n = g.crowd(manyQuestions), 0
			b.StartTimer()
		}
		began := time.Now()
		if a := g.post("/v1/inquiries/"+questions[n].ID+"/reply", g.ann,
			`{"response":"the first"}`); a.status != 200 {
			b.Fatal(a.text)
		}
		late := time.NewTimer(promised - time.Since(began))
		for reached := range all {
			select {
			case err := <-heard:
				require.NoError(b, err)
			case <-late.C:
				b.Fatalf("after %v answer %d has reached %d of %d listeners", promised, len(took)+1,
					reached, len(all))
			}
		}
		late.Stop()
		took = append(took, time.Since(began))
		n++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "p100-ms")
	b.ReportMetric(float64(held)/manyListeners/1024, "KiB/listener")
	b.ReportMetric(float64(heap())/(1<<20), "MiB-total")
	stop()
	require.ErrorIs(b, <-sweeping, context.Canceled)
	for _, s := range all {
		_ = s.conn.Close()
	}
	go func() {
		for range heard { // those that end now
		}
	}()
	wg.Wait()
	close(heard)
}

// heap is the bytes in use after a collection, stacks included.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// BenchmarkSweepOfAThousandOpenQuestions is what the broker does every second.
func BenchmarkSweepOfAThousandOpenQuestions(b *testing.B) {
	g := newRig(b, nil)
	g.crowd(manyQuestions)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, g.broker.Sweep(b.Context(), time.Now()))
	}
}

// BenchmarkSnapshotOfAThousandOpenQuestions is what a listener that joins costs; of all is how long
// it takes until many that join at once have theirs, as after a restart.
func BenchmarkSnapshotOfAThousandOpenQuestions(b *testing.B) {
	g := newRig(b, nil)
	g.crowd(manyQuestions)
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := g.spare()
			_, err := s.next()
			require.NoError(b, err)
			_ = s.conn.Close()
		}
	})
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, s := range g.listeners(manyListeners) {
				_ = s.conn.Close()
			}
		}
	})
}
