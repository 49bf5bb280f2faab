package serve

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// What is logged at level info: a line for each call, for the start and the end of a run's life,
// for a question asked and settled, and for a phone come and gone. Tasks, questions and answers are
// not logged, as they may hold secrets.

// logRun writes the line of a run's new state, and tells people of its end.
func (s *Service) logRun(ctx context.Context, e runs.Event) {
	if e.Kind != runs.StateChanged || e.State == store.Queued {
		return
	}
	x, _ := s.Store.Session(ctx, e.SessionID) // else the phone is not named
	args := []any{"session", e.SessionID, "run", e.RunID, "serial", x.Serial}
	defer s.tellRun(*e.Run, x.Serial)
	if e.State == store.Running {
		s.log.InfoContext(ctx, "run started", args...)
		return
	}
	args = append(args, "state", e.State, "reason", e.Run.StopReason)
	if q := e.Run.QuestionID; q != "" {
		args = append(args, "question", q)
	}
	s.log.InfoContext(ctx, "run ended", args...)
}

// until calls f with a context that ends when s is closed, which waits for f.
func (s *Service) until(f func(context.Context)) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var going sync.WaitGroup
	going.Go(func() { f(ctx) })
	s.OnClose(func() error { cancel(errEnded); going.Wait(); return nil })
}

// inTurn is until for what one process of a data folder does at a time: the next one takes its turn
// when that ends. The lock is the name of a file in the folder.
func (s *Service) inTurn(lock string, f func(context.Context)) {
	s.until(func(ctx context.Context) {
		turn := flock.New(filepath.Join(s.dataDir, lock), flock.SetPermissions(0o600))
		defer turn.Close()
		if _, err := turn.TryLockContext(ctx, time.Second); err == nil {
			f(ctx)
		} else if ctx.Err() == nil {
			s.log.ErrorContext(ctx, "a turn cannot be taken", "lock", lock, "err", err)
		}
	})
}

// follow logs what becomes of questions, and calls settled for each that ends, until s is closed.
func (s *Service) follow(settled func(inquiry.Question)) {
	events := s.Manager.Broker().Subscribe()
	s.until(func(ctx context.Context) {
		defer events.Close()
		for e, err := events.Next(ctx); err == nil; e, err = events.Next(ctx) {
			q := e.Question
			x, _ := s.Store.Session(ctx, q.SessionID) // else the phone is not named
			args := []any{"question", q.ID, "kind", q.Kind, "session", q.SessionID, "run", q.RunID,
				"serial", x.Serial}
			switch e.Type {
			case inquiry.Created:
				s.log.InfoContext(e.Context, "question asked", args...)
			case inquiry.Resolved, inquiry.Withdrew, inquiry.RanOut:
				if r := q.Resolution; r != nil {
					args = append(args, "channel", r.Channel, "authority", r.Authority, "by", r.By)
				}
				s.log.InfoContext(e.Context, "question settled",
					append(args, "status", q.Status)...)
				settled(q)
			}
		}
	})
}

// counted gives each request an id, which its answer has as X-Request-Id, and counts and logs it.
func counted(next http.Handler, c counters, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		ctx, id := logs.Called(r.Context())
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(ctx)
		out := &answer{ResponseWriter: w}
		defer func() {
			p := recover()
			if err, _ := p.(error); p != nil && out.code == 0 &&
				!errors.Is(err, http.ErrAbortHandler) {
				out.code = http.StatusInternalServerError
			}
			route := routeOf(r)
			c.labelled(`taploop_http_requests_total{route=%q,code="%d"}`, route, out.status()).Inc()
			log.Log(ctx, levelOf(r, out.status()), "request", "method", r.Method, "route", route,
				"code", out.status(), "took", time.Since(began))
			if p != nil {
				panic(p)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// routeOf is the pattern that the request's path matched, without the method: never a path, which
// could be anything.
func routeOf(r *http.Request) string {
	return cmp.Or(r.Pattern[strings.Index(r.Pattern, " ")+1:], "none")
}

// levelOf is that of a request's line. Calls of tools have other lines, unless they were refused,
// and what pages and probes ask for is too much.
func levelOf(r *http.Request, code int) slog.Level {
	api, refused := strings.HasPrefix(r.URL.Path, "/v1/"), code >= http.StatusBadRequest
	if api || refused && strings.HasPrefix(r.URL.Path+"/", "/mcp/") {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// answer remembers the status of an answer.
type answer struct {
	http.ResponseWriter
	code int
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	if a.code == 0 && code >= http.StatusOK {
		a.code = code
	}
	a.ResponseWriter.WriteHeader(code)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) status() int { return cmp.Or(a.code, http.StatusOK) }
