package policy

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/words"
)

// Completer asks a model once. Its errors end the decision: whatever is worth retrying it retries
// itself.
type Completer interface {
	Complete(ctx context.Context, r model.Request) (model.Response, error)
}

// Policy decides by asking a model. Any number of goroutines may use it.
type Policy struct {
	dialect dialect.Dialect
	model   Completer
	log     *slog.Logger

	in map[string]*Policy // by the language of the task, nil if the dialect has one

	toolless *Policy     // for an endpoint without tools, nil if none are offered
	noTools  atomic.Bool // the endpoint was found to take none
}

// New returns a policy that speaks to m in d. log may be nil.
func New(d dialect.Dialect, m Completer, log *slog.Logger) *Policy {
	p := &Policy{dialect: d, model: m, log: logger(log)}
	if several, is := d.(dialect.Multilingual); is {
		p.in = map[string]*Policy{}
		for _, lang := range words.Languages() {
			p.in[lang] = New(several.In(lang), m, log)
		}
	}
	if t, can := d.(dialect.Tooled); can {
		if other := t.Toolless(); other != nil {
			p.toolless = New(other, m, log)
		}
	}
	return p
}

// logger is log, or for nil one that discards.
func logger(log *slog.Logger) *slog.Logger {
	return cmp.Or(log, slog.New(slog.DiscardHandler))
}
