package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// hook is a webhook after the Standard Webhooks specification, https://www.standardwebhooks.com.
type hook struct {
	url string
	key []byte
}

const secretPrefix = "whsec_"

func newHook(w Webhook) (target, error) {
	u, err := parseURL(w.URL)
	if err != nil {
		return target{}, fmt.Errorf("a webhook: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(w.Secret, secretPrefix))
	switch {
	case !strings.HasPrefix(w.Secret, secretPrefix):
		err = fmt.Errorf("it does not begin with %s", secretPrefix)
	case err != nil:
		err = errors.New("it is not base64") // the cause would quote it
	case len(key) < 24 || len(key) > 64:
		err = fmt.Errorf("it has %d bytes (want 24 to 64)", len(key))
	}
	if err != nil {
		return target{}, hint.Add(fmt.Errorf("the secret of the webhook at %s: %w", u.Host, err),
			"make one: echo "+secretPrefix+"$(openssl rand -base64 32)")
	}
	h := hook{w.URL, key}
	return target{name: nameOf("webhook", u, w.URL), request: h.request}, nil
}

// request has a time and so a signature of its own, the id and the body are the message's.
func (h hook) request(ctx context.Context, m *notification, o *Options) (*http.Request, error) {
	body, err := m.body(o)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	now := time.Now().Unix()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Webhook-Id", m.id())
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(now, 10))
	r.Header.Set("Webhook-Signature", sign(h.key, m.id(), now, body))
	return r, nil
}

// sign is the specification's symmetric signature.
func sign(key []byte, id string, timestamp int64, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
