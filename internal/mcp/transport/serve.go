package transport

import (
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// ServeHTTP answers one HTTP request of a client. It sets no deadline for reading the body, see
// [httpguard.Timely].
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.opts.guard(r); err != nil {
		h.opts.Log.Warn("request refused", "error", err, "remote", r.RemoteAddr)
		refuse(w, http.StatusForbidden, invalid(hint.Text(err)))
		return
	}
	changed := h.opts.Changed() // before Authorize, so that no later change is missed
	principal, ok := h.authorize(w, r)
	if !ok {
		return
	}
	if !h.enter() {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, invalid("the server is closing"))
		return
	}
	defer h.under.Done()
	v := httpRequest{h: h, w: w, r: r, principal: principal, authorizedAt: time.Now(),
		changed: changed}
	switch r.Method {
	case http.MethodPost:
		v.post()
	case http.MethodGet, http.MethodDelete:
		v.connect()
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, invalid("want GET, POST or DELETE"))
	}
}
