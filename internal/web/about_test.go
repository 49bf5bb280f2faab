package web_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

func TestTheServerIsToldOfInTheLanguageOfItsReader(t *testing.T) {
	g := newRig(t, func(o *web.Options) {
		o.About = func(context.Context) (web.About, error) {
			return web.About{Health: []web.Fact{{Name: "store", Value: "ok"}},
				Settings: []web.Fact{{Name: "reply.mode", Value: "default", Origin: "default"}},
				Audit: []store.AuditEntry{{Event: store.AuditTakenOver, Text: "mine"},
					{Event: store.AuditAsked, Text: "all"}}}, nil
		}
	})
	told := g.get("/v1/about?lang=zh", g.boss).text
	for _, want := range []string{`"name":"存储","value":"正常"`, `"event":"接管"`, `"text":"mine"`, `"text":"all"`,
		`"value":"default","origin":"默认"`} {
		require.Contains(t, told, want)
	}
	require.Contains(t, g.get("/v1/about", g.boss).text, `"event":"taken_over"`, "programs")
}
