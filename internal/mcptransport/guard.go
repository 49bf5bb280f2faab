package mcptransport

import (
	"net/http"

	"github.com/taploop/taploop/internal/httpguard"
)

// Guard lets through to next only what a program or a page of this machine may have sent, see [Options]: it keeps web
// pages of strangers away, also those whose name was made to point here (DNS rebinding). Routes beside /mcp need it too.
func Guard(next http.Handler, opts *Options) http.Handler {
	o := settings(opts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := o.guard(r); err != nil {
			refuse(w, http.StatusForbidden, invalid(err.Error()))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// guard checks where the request claims to be addressed and to come from: "Servers MUST validate the Origin header on all
// incoming connections to prevent DNS rebinding attacks". No header that would let other origins in is ever sent.
func (o *Options) guard(r *http.Request) error {
	return (&httpguard.Guard{Hosts: o.Hosts, Origins: o.Origins}).Check(r)
}
