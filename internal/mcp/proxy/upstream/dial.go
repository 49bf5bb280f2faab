package upstream

import (
	"context"
	"errors"

	"github.com/taploop/taploop/internal/text"
)

// Dialer returns the function that connects to the server.
func (t *Target) Dialer(l Limits) (Dial, error) {
	m := text.NewMask(t.Secrets, minSecret, redacted)
	switch {
	case len(t.Command) > 0:
		return func(ctx context.Context, r Receiver) (Conn, error) {
			return start(ctx, t, l, m, r)
		}, nil
	case t.URL != "":
		return func(ctx context.Context, r Receiver) (Conn, error) {
			return open(ctx, t, l, m, r), nil
		}, nil
	}
	return nil, errors.New("there is neither a command nor an address")
}
