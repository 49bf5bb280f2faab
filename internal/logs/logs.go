// Package logs gives each line of a log the ids of what it is about, as far as its context knows
// them: the request, the session, the run, the question and the phone.
package logs

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"strings"
	"sync"
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

// of returns the ids of a call or of a life of a run, by their names.
func of(ctx context.Context) *sync.Map {
	if known, is := ctx.Value(key{}).(*sync.Map); is {
		return known
	}
	return new(sync.Map)
}

// Called returns a context for a call, and the id of its request, which is new unless ctx has one.
func Called(ctx context.Context) (context.Context, string) {
	if id, is := of(ctx).Load(Request); is {
		return ctx, id.(string)
	}
	id := strings.ToLower(rand.Text()[:12])
	ctx = context.WithValue(ctx, key{}, new(sync.Map))
	Learn(ctx, Request, id)
	return ctx, id
}

// Life returns ctx for what the call begins and does not wait for: it has the call's request. What
// begins without a call has a new one.
func Life(ctx, call context.Context) context.Context {
	_, id := Called(call)
	ctx = context.WithValue(ctx, key{}, new(sync.Map))
	Learn(ctx, Request, id)
	return ctx
}

// Learn has the later lines of a call or a life say what it is about. Ids and their names come by
// turns.
func Learn(ctx context.Context, namesAndIDs ...string) {
	known := of(ctx)
	for i := 0; i+1 < len(namesAndIDs); i += 2 {
		known.Store(namesAndIDs[i], namesAndIDs[i+1])
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
	if a.Value.Kind() == slog.KindDuration {
		return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
	}
	return a
}

// handler adds the ids that a line does not say itself.
type handler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, line slog.Record) error {
	said := map[string]bool{}
	line.Attrs(func(a slog.Attr) bool { said[a.Key] = true; return true })
	line = line.Clone()
	for _, name := range []string{Request, Session, Run, Question, Phone} {
		if id, is := of(ctx).Load(name); is && id != "" && !said[name] {
			line.AddAttrs(slog.Any(name, id))
		}
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(list []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(list)}
}
