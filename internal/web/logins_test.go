package web

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func codeOf(t *testing.T, l *Logins, name string) string {
	t.Helper()
	link, err := l.Link("http://127.0.0.1:1", name)
	require.NoError(t, err)
	_, code, found := strings.Cut(link, "#login=")
	require.True(t, found)
	return code
}

func TestALinkIsUsedOnceAlsoWhenTwentyTry(t *testing.T) {
	l := OpenLogins(filepath.Join(t.TempDir(), "data", "logins.json"))
	code := codeOf(t, l, "kitchen")
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			other := OpenLogins(l.path) // another process
			secret, err := other.redeem(code)
			if err != nil {
				return
			}
			won.Add(1)
			if name, err := other.check(secret); err != nil || name != "kitchen" {
				t.Error(name, err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, won.Load())
}

func TestLinksAndBrowsersHaveTheirTime(t *testing.T) {
	l := OpenLogins(filepath.Join(t.TempDir(), "logins.json"))
	synctest.Test(t, func(t *testing.T) {
		late, code := codeOf(t, l, ""), codeOf(t, l, "")
		secret, err := l.redeem(code)
		require.NoError(t, err)
		name, err := l.check(secret)
		require.NoError(t, err)
		require.Equal(t, "operator", name)

		time.Sleep(linkLife)
		_, err = l.redeem(late)
		require.ErrorIs(t, err, errNoLogin)
		_, err = l.check(late)
		require.ErrorIs(t, err, errNoLogin, "a code is no browser")
		time.Sleep(browserLife)
		_, err = l.check(secret)
		require.ErrorIs(t, err, errNoLogin)
		require.NoError(t, l.forget(secret), "it is forgotten already")
		b, err := os.ReadFile(l.path)
		require.NoError(t, err)
		require.Equal(t, "[]\n", string(b), "what is over is not kept")
	})
}

func TestTheFileHoldsNoSecretAndABrokenOneLetsNobodyIn(t *testing.T) {
	l := OpenLogins(filepath.Join(t.TempDir(), "logins.json"))
	code := codeOf(t, l, "")
	secret, err := l.redeem(codeOf(t, l, ""))
	require.NoError(t, err)
	b, err := os.ReadFile(l.path)
	require.NoError(t, err)
	require.NotContains(t, string(b), code)
	require.NotContains(t, string(b), secret)
	fi, err := os.Stat(l.path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode())

	require.NoError(t, os.WriteFile(l.path, []byte("{"), 0o600))
	_, err = l.check(secret)
	require.ErrorContains(t, err, "reading the logins")
	_, err = l.redeem(code)
	require.ErrorContains(t, err, "reading the logins")
}

func TestALoginThatWasACookieHoldsNoMore(t *testing.T) {
	l := OpenLogins(filepath.Join(t.TempDir(), "logins.json"))
	require.NoError(t, os.WriteFile(l.path, []byte(`[{"kind":"browser","name":"kitchen","sha256":"`+
		hash("seen by others")+`","expires_at":"2999-01-01T00:00:00Z"}]`), 0o600))
	_, err := l.check("seen by others")
	require.ErrorIs(t, err, errNoLogin)
	_, err = l.redeem(codeOf(t, l, "kitchen"))
	require.NoError(t, err, "the file is still read and written")
}
