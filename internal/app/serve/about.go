package serve

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/web"
)

// lastAudit is how many entries of the audit the page shows.
const lastAudit = 200

// tellsOf returns a function that tells people of the server, without secrets.
func tellsOf(s *app.Settings, svc *Service, auth *authenticator) func(context.Context) (
	web.About, error) {
	began := time.Now()
	return func(ctx context.Context) (a web.About, err error) {
		for _, v := range s.Conf.Values() {
			shown := text.Addresses(fmt.Sprint(v.Value))
			a.Settings = append(a.Settings, web.Fact{Name: v.Path,
				Value: text.Line(strings.TrimPrefix(shown, "map[]")), Origin: v.Origin})
		}
		tokens, err := auth.tokens.List()
		if err != nil {
			return a, err
		}
		for _, t := range tokens {
			a.Tokens = append(a.Tokens, web.Fact{Name: t.Name,
				Value: t.Created.Format(time.RFC3339)})
		}
		db := svc.Parts.Store
		a.Audit, err = db.Audit.List(ctx, store.AuditFilter{Limit: lastAudit})
		if err != nil {
			return a, err
		}
		slices.Reverse(a.Audit)
		phones, err := svc.Parts.Phones.List(ctx)
		state := strconv.Itoa(len(phones))
		if err != nil {
			state = text.Line(err.Error())
		}
		a.Health = []web.Fact{{Name: "store",
			Value: map[bool]string{true: "slow", false: "ok"}[db.Stalled()]},
			{Name: "phones", Value: state},
			{Name: "up", Value: time.Since(began).Round(time.Second).String()}}
		return a, nil
	}
}
