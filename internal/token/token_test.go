package token_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/token"
)

func store(t *testing.T) (*token.Store, string) {
	path := filepath.Join(t.TempDir(), "data", "tokens.json")
	return token.Open(path), path
}

func TestATokenIsKnownUntilItIsRevoked(t *testing.T) {
	s, path := store(t)
	list, err := s.List()
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = s.Check("taploop_anything")
	require.ErrorIs(t, err, token.ErrNone)

	laptop, info, err := s.Create("laptop", false)
	require.NoError(t, err)
	other, unnamed, err := s.Create("", false)
	require.NoError(t, err)
	require.Equal(t, "token-"+unnamed.ID, unnamed.Name)

	again := token.Open(path) // another process
	got, err := again.Check(laptop)
	require.NoError(t, err)
	require.Equal(t, info, got)
	got, err = again.Check(other)
	require.NoError(t, err)
	require.Equal(t, unnamed, got)
	list, err = again.List()
	require.NoError(t, err)
	require.Equal(t, []token.Info{info, unnamed}, list)

	gone, err := again.Revoke("laptop")
	require.NoError(t, err)
	require.Equal(t, info, gone)
	_, err = s.Check(laptop)
	require.ErrorIs(t, err, token.ErrNone)
	_, err = s.Revoke(unnamed.ID)
	require.NoError(t, err)
	_, err = s.Check(other)
	require.ErrorIs(t, err, token.ErrNone)
	_, err = s.Revoke("laptop")
	require.EqualError(t, err, `there is no token "laptop"`)
	require.NotEmpty(t, hint.Of(err))
}

func TestOnlyTheWholeTokenIsTheToken(t *testing.T) {
	s, _ := store(t)
	secret, _, err := s.Create("a", false)
	require.NoError(t, err)
	for _, near := range []string{"", "taploop_", secret[:len(secret)-1], secret + "A",
		strings.ToLower(secret), " " + secret, secret + "\n"} {
		_, err := s.Check(near)
		require.ErrorIs(t, err, token.ErrNone, "%q", near)
	}
}

func TestTheFileHoldsNoTokenAndIsForItsOwnerOnly(t *testing.T) {
	s, path := store(t)
	secret, _, err := s.Create("a", false)
	require.NoError(t, err)
	bits, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(secret, "taploop_"))
	require.NoError(t, err)
	require.Len(t, bits, 32)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(b), strings.TrimPrefix(secret, "taploop_"))
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]os.FileMode{path: 0o600, path + ".lock": 0o600,
		filepath.Dir(path): os.ModeDir | 0o700} {
		fi, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, want, fi.Mode(), name)
	}
}

func TestNamesAreOfOneTokenEach(t *testing.T) {
	s, _ := store(t)
	_, info, err := s.Create("a", false)
	require.NoError(t, err)
	for name, want := range map[string]string{
		"a":                     `there is a token named "a"`,
		info.ID:                 `there is a token named "` + info.ID + `"`,
		"-x":                    `"-x" cannot name a token`,
		"a b":                   `"a b" cannot name a token`,
		"a\nb":                  `"a\nb" cannot name a token`,
		strings.Repeat("a", 65): `"` + strings.Repeat("a", 65) + `" cannot name a token`,
	} {
		_, _, err := s.Create(name, false)
		require.EqualError(t, err, want)
		require.NotEmpty(t, hint.Of(err))
	}
	list, err := s.List()
	require.NoError(t, err)
	require.Equal(t, []token.Info{info}, list)
}

func TestManyAtOnceLoseNothing(t *testing.T) {
	s, path := store(t)
	const n = 20
	secrets := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			secrets[i], _, err = token.Open(path).Create("", false)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, n)
	for _, secret := range secrets {
		info, err := s.Check(secret)
		require.NoError(t, err)
		require.Contains(t, list, info)
	}
}

func TestAFileThatCannotBeReadLetsNobodyIn(t *testing.T) {
	s, path := store(t)
	secret, _, err := s.Create("a", false)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(`{"version":2,"tokens":[]}`), 0o600))
	for _, err := range []error{
		func() error { _, err := s.Check(secret); return err }(),
		func() error { _, err := s.List(); return err }(),
		func() error { _, _, err := s.Create("b", false); return err }(),
	} {
		require.ErrorContains(t, err, "is not a file of tokens")
		require.NotErrorIs(t, err, token.ErrNone)
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `{"version":2,"tokens":[]}`, string(b), "what is not understood is left alone")
}

func TestAPersonsTokenSaysForWhom(t *testing.T) {
	s, _ := store(t)
	secret, _, err := s.Create("kim", true, "ann", "ben")
	require.NoError(t, err)
	info, err := s.Check(secret)
	require.NoError(t, err)
	require.Equal(t, []string{"ann", "ben"}, info.For)
	_, _, err = s.Create("bot", false, "ann")
	require.ErrorContains(t, err, "a program's token is for no other clients")
	require.Contains(t, hint.Of(err), "--person")
	_, _, err = s.Create("kay", true, "not a name")
	require.ErrorContains(t, err, "cannot name a token")
	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
}
