package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// target is where an endpoint's messages go.
type target struct {
	name string
	// it calls people: to open questions alone; any other target gets everything
	openOnly bool
	since    time.Time // earlier messages are not for it
	request  func(ctx context.Context, m *notification, o *Options) (*http.Request, error)
	// is called when the service of a browser does not know it any more; nil for others
	gone func() error
}

func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, hint.Add(errors.New("its address is not an HTTP URL"),
			"write a whole one, such as https://hooks.example/taploop")
	}
	return u, nil
}

// nameOf names an endpoint in logs and in the ledger. The address itself may be all that keeps
// others from using it, so only its host is shown, with a digest that distinguishes two of one
// host.
func nameOf(kind string, u *url.URL, address string) string {
	sum := sha256.Sum256([]byte(address))
	return kind + " " + u.Host + " " + hex.EncodeToString(sum[:4])
}
