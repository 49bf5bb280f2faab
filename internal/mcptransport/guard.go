package mcptransport

import (
	"net/http"

	"github.com/taploop/taploop/internal/httpguard"
)

// guard checks where the request claims to be addressed and to come from: "Servers MUST validate the Origin header on all
// incoming connections to prevent DNS rebinding attacks". No header that would let other origins in is ever sent.
func (o *Options) guard(r *http.Request) error {
	return (&httpguard.Guard{Hosts: o.Hosts, Origins: o.Origins}).Check(r)
}
