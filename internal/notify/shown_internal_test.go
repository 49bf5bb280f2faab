package notify

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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

// What a browser has stored again is what its messages are made by: another language, other keys.
// One that is only renewed goes on.
func TestABrowserThatSubscribesAnewIsFollowed(t *testing.T) {
	browsers := push.Open(filepath.Join(t.TempDir(), "push.json"))
	synctest.Test(t, func(t *testing.T) {
		n, err := New(&Options{Browsers: browsers, Ledger: none{},
			Questions: inquiry.NewBroker(new(inquirytest.Memory), nil)})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var begun []context.Context
		var wg sync.WaitGroup
		wg.Go(func() {
			n.followBrowsers(ctx, func(its context.Context, _ *endpoint) {
				begun = append(begun, its)
			})
		})
		s := push.Subscription{Endpoint: "https://push.example/one", Lang: "en"}
		s.Keys.P256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8" +
			"pZGH6SRpkNtoIAiw4"
		stored := func(lang, auth string) int {
			synctest.Wait()
			s.Lang, s.Keys.Auth = lang, auth
			require.NoError(t, browsers.Add(s))
			time.Sleep(time.Second)
			synctest.Wait()
			require.Len(t, n.all(), 1)
			for i, its := range begun {
				require.Equal(t, i < len(begun)-1, its.Err() != nil)
			}
			return len(begun)
		}
		const auth, other = "BTBZMqHH6r4Tts7J_aSIgg", "AAAAAAAAAAAAAAAAAAAAAA"
		require.Equal(t, 1, stored("en", auth))
		since := n.all()[0].since
		require.Equal(t, 1, stored("en", auth))
		require.Equal(t, 2, stored("zh", auth))
		require.Equal(t, 3, stored("zh", other))
		require.Equal(t, since, n.all()[0].since)

		// a file that cannot be read for a moment, as with too many open files, ends nothing
		good, err := os.ReadFile(browsers.Path())
		require.NoError(t, err)
		write := func(content []byte) {
			require.NoError(t, os.WriteFile(browsers.Path(), content, 0o600))
			at := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
			require.NoError(t, os.Chtimes(browsers.Path(), at, at))
		}
		write(bytes.Repeat([]byte("x"), len(good)))
		time.Sleep(time.Second)
		write(good) // nobody sees that it has changed
		time.Sleep(2 * time.Minute)
		require.Len(t, n.all(), 1)
		require.NoError(t, begun[2].Err())
		require.Equal(t, 3, stored("zh", other))
		require.Equal(t, 4, stored("en", other), "and it is read again")
		cancel()
		wg.Wait()
	})
}

// none is a ledger without entries.
type none struct{ ledger }

func (none) Receipts(context.Context, Span) ([]Receipt, error) { return nil, nil }

func (none) Notices(context.Context, time.Time) ([]Notice, error) { return nil, nil }
