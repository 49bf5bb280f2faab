// Package logs gives each line of a log the ids of what it is about, as far as its context knows
// them: the request, the session, the run, the question and the phone.
package logs

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"
)

// The names of ids, in the order in which lines have them.
const (
	Request  = "request"
	Session  = "session"
	Run      = "run"
	Question = "question"
	Phone    = "serial"
)

type key struct{}

// ids are those of a call, or of a life of a run.
type ids struct {
	mu   sync.Mutex
	list map[string]string
}

func of(ctx context.Context) map[string]string {
	known, is := ctx.Value(key{}).(*ids)
	if !is {
		return nil
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	return maps.Clone(known.list)
}

// Called returns a context for a call, and the id of its request, which is new unless ctx has one.
func Called(ctx context.Context) (context.Context, string) {
	if id := of(ctx)[Request]; id != "" {
		return ctx, id
	}
	id := strings.ToLower(rand.Text()[:12])
	return context.WithValue(ctx, key{}, &ids{list: map[string]string{Request: id}}), id
}

// Life returns ctx for what the call begins and does not wait for: it has the call's request.
func Life(ctx, call context.Context) context.Context {
	return context.WithValue(ctx, key{}, &ids{list: map[string]string{Request: of(call)[Request]}})
}

// Learn has the later lines of a call or a life say what it is about. Ids and their names come by
// turns.
func Learn(ctx context.Context, namesAndIDs ...string) {
	known, is := ctx.Value(key{}).(*ids)
	if !is {
		return
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	for i := 0; i+1 < len(namesAndIDs); i += 2 {
		known.list[namesAndIDs[i]] = namesAndIDs[i+1]
	}
}

// New returns a log in the format, which is text unless it is json. Durations are in milliseconds,
// as their names say.
func New(w io.Writer, format string, level slog.Level) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: inMilliseconds}
	if format == "json" {
		return slog.New(handler{slog.NewJSONHandler(w, o)})
	}
	return slog.New(handler{slog.NewTextHandler(w, o)})
}

func inMilliseconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/
		float64(time.Millisecond/time.Microsecond))
}

// handler adds the ids that a line does not say itself.
type handler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, line slog.Record) error {
	known := of(ctx)
	line.Attrs(func(a slog.Attr) bool { delete(known, a.Key); return true })
	line = line.Clone()
	for _, name := range []string{Request, Session, Run, Question, Phone} {
		if id := known[name]; id != "" {
			line.AddAttrs(slog.String(name, id))
		}
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(list []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(list)}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
