package web

import (
	"errors"
	"net/http"

	"github.com/taploop/taploop/internal/notify/push"
	"github.com/taploop/taploop/internal/words"
)

// pushes are the subscriptions of browsers to notifications.
type pushes struct{ *core }

// may refuses all but the page: a subscription hears of every question.
func (s *pushes) may(v viewer) error {
	if !v.Page {
		return refuse("NOT_A_PERSON", errors.New("browsers subscribe on the page; programs use "+
			"webhooks or GET /v1/events"))
	}
	if s.opts.Browsers == nil {
		return refuse("NOT_FOUND", errors.New("this server pushes nothing"))
	}
	return nil
}

// key is what a browser needs to subscribe at its push service.
func (s *pushes) key(w http.ResponseWriter, _ *http.Request, _ viewer) error {
	key, err := s.opts.Browsers.Key()
	return sendUnless(w, err, map[string]any{"key": key})
}

func (s *pushes) subscribe(w http.ResponseWriter, r *http.Request, _ viewer) error {
	var body push.Subscription
	if err := receive(r, &body); err != nil {
		return err
	}
	body.Lang = words.Match(body.Lang)
	var misfit *push.MisfitError
	err := s.opts.Browsers.Add(body)
	if errors.As(err, &misfit) {
		return badRequest("%w", err)
	}
	return sendUnless(w, err, map[string]any{"ok": true})
}

func (s *pushes) unsubscribe(w http.ResponseWriter, r *http.Request, _ viewer) error {
	var body struct {
		Endpoint string `json:"endpoint"`
	}
	if err := receive(r, &body); err != nil {
		return err
	}
	err := s.opts.Browsers.Remove(body.Endpoint)
	return sendUnless(w, err, map[string]any{"ok": true})
}
