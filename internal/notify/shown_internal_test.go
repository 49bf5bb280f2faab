package notify

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/notify/push"
)

func TestAnActIsToldInTheWordsOfItsReader(t *testing.T) {
	for _, c := range inquirytest.Consents(t) {
		m := newMessage(inquiry.Created, c.Question)
		r, err := Ntfy{URL: "http://x/t"}.request(t.Context(), m, &Options{})
		require.NoError(t, err)
		sent, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		for lang, headline := range c.Headlines {
			b := browser{Subscription: push.Subscription{Lang: lang}}
			c.Shown(t, lang, b.shown(m, &Options{}).Body, "")
			require.Contains(t, string(sent), headline, "a topic has readers of every language")
		}
	}
}
