package token_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/token"
)

// open opens a store in the folder, as another process does.
func open(t *testing.T, dir string) *store.Store {
	s, err := store.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// tokens are those of a new folder.
func tokens(t *testing.T) (s *token.Store, dir string) {
	dir = storetest.Dir(t)
	return token.In(open(t, dir).Kept), dir
}

func TestATokenIsKnownUntilItIsRevoked(t *testing.T) {
	s, dir := tokens(t)
	list, err := s.List()
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = s.Check("taploop_anything")
	require.ErrorIs(t, err, token.ErrNone)

	laptop, info, err := s.Create(token.Limits{}, "laptop", false)
	require.NoError(t, err)
	other, unnamed, err := s.Create(token.Limits{}, "", false)
	require.NoError(t, err)
	require.Equal(t, "token-"+unnamed.ID, unnamed.Name)

	again := token.In(open(t, dir).Kept)
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
	s, _ := tokens(t)
	secret, _, err := s.Create(token.Limits{}, "a", false)
	require.NoError(t, err)
	for _, near := range []string{"", "taploop_", secret[:len(secret)-1], secret + "A",
		strings.ToLower(secret), " " + secret, secret + "\n"} {
		_, err := s.Check(near)
		require.ErrorIs(t, err, token.ErrNone, "%q", near)
	}
}

func TestNothingButTheHashIsKept(t *testing.T) {
	s, dir := tokens(t)
	secret, _, err := s.Create(token.Limits{}, "a", false)
	require.NoError(t, err)
	bits, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(secret, "taploop_"))
	require.NoError(t, err)
	require.Len(t, bits, 32)
	value, err := open(t, dir).Kept.Read("tokens")
	require.NoError(t, err)
	require.Contains(t, string(value), "sha256")
	require.NotContains(t, string(value), strings.TrimPrefix(secret, "taploop_"))
}

func TestNamesAreOfOneTokenEach(t *testing.T) {
	s, _ := tokens(t)
	_, info, err := s.Create(token.Limits{}, "a", false)
	require.NoError(t, err)
	for name, want := range map[string]string{
		"a":                     `there is a token named "a"`,
		info.ID:                 `there is a token named "` + info.ID + `"`,
		"-x":                    `"-x" cannot name a token`,
		"a b":                   `"a b" cannot name a token`,
		"a\nb":                  `"a\nb" cannot name a token`,
		strings.Repeat("a", 65): `"` + strings.Repeat("a", 65) + `" cannot name a token`,
	} {
		_, _, err := s.Create(token.Limits{}, name, false)
		require.EqualError(t, err, want)
		require.NotEmpty(t, hint.Of(err))
	}
	list, err := s.List()
	require.NoError(t, err)
	require.Equal(t, []token.Info{info}, list)
}

func TestManyAtOnceLoseNothing(t *testing.T) {
	s, dir := tokens(t)
	others := [...]*token.Store{s, token.In(open(t, dir).Kept)}
	const n = 20
	secrets := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			secrets[i], _, err = others[i%2].Create(token.Limits{}, "", false)
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

func TestTokensThatCannotBeReadLetNobodyIn(t *testing.T) {
	s, dir := tokens(t)
	secret, _, err := s.Create(token.Limits{}, "a", false)
	require.NoError(t, err)
	kept := open(t, dir).Kept
	for _, text := range []string{`{"version":2,"tokens":[]}`, `{"version":0}`, "{", "[]", ""} {
		require.NoError(t, kept.Change("tokens",
			func(json.RawMessage) (json.RawMessage, error) { return []byte(text), nil }))
		for _, err := range []error{
			func() error { _, err := s.Check(secret); return err }(),
			func() error { _, err := s.List(); return err }(),
			func() error { _, _, err := s.Create(token.Limits{}, "b", false); return err }(),
		} {
			require.ErrorContains(t, err, "the store has none of version 1", "%q", text)
			require.NotErrorIs(t, err, token.ErrNone)
		}
		value, err := kept.Read("tokens")
		require.NoError(t, err)
		require.Equal(t, text, string(value), "what is not understood is left alone")
	}
}

// left is the file of tokens of an earlier version, with one of the name, and when it was used.
func left(t *testing.T, name string) (path, secret string, used time.Time) {
	s, dir := tokens(t)
	secret, info, err := s.Create(token.Limits{}, name, true, "bot")
	require.NoError(t, err)
	used = info.Created.Add(time.Minute)
	require.NoError(t, s.NoteUsed(map[string]time.Time{info.ID: used}))
	kept := open(t, dir).Kept
	path = filepath.Join(t.TempDir(), "tokens.json")
	for value, file := range map[string]string{"tokens": path,
		"tokens-used": strings.Replace(path, ".json", "-used.json", 1)} {
		text, err := kept.Read(value)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
	return path, secret, used
}

func TestTheTokensOfAnEarlierVersionsFileAreTakenOverOnce(t *testing.T) {
	s, dir := tokens(t)
	path, secret, used := left(t, "desk")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	stores := []*token.Store{s, token.In(open(t, dir).Kept), token.In(open(t, dir).Kept)}
	var wg sync.WaitGroup
	for _, s := range stores { // at once
		wg.Go(func() {
			if err := s.Import(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	info, err := s.Check(secret)
	require.NoError(t, err)
	require.Equal(t, "desk", info.Name)
	require.Equal(t, []string{"bot"}, info.For)
	require.Equal(t, used, s.LastUsed()[info.ID])
	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(after), "sha256", "they have one home")
	require.Contains(t, string(after), `"version": 2`, "who reads the file still lets nobody in")

	_, err = s.Revoke("desk")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole, 0o600)) // killed before it was marked, or restored
	require.NoError(t, s.Import(path))
	_, err = s.Check(secret)
	require.ErrorIs(t, err, token.ErrNone, "it was revoked")
}

func TestATokenOfAFileWhoseNameIsTakenIsNotTakenOver(t *testing.T) {
	s, _ := tokens(t)
	mine, _, err := s.Create(token.Limits{}, "desk", false)
	require.NoError(t, err)
	path, secret, _ := left(t, "desk")
	require.NoError(t, s.Import(path))
	_, err = s.Check(mine)
	require.NoError(t, err)
	_, err = s.Check(secret)
	require.ErrorIs(t, err, token.ErrNone)
}

func TestAFileThatHoldsNoTokensIsNotTakenOver(t *testing.T) {
	s, _ := tokens(t)
	path := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, s.Import(path), "there need be none")
	require.NoFileExists(t, path+".lock")
	for _, text := range []string{"{", "[]", "", `{"version":3,"tokens":[]}`, `{"version":0}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		err := s.Import(path)
		require.ErrorContains(t, err, path+" is not a file of tokens", "%q", text)
		require.Contains(t, hint.Of(err), "move it away")
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(b), "what is not understood is left alone")
	}
}

func TestAPersonsTokenSaysForWhom(t *testing.T) {
	s, _ := tokens(t)
	secret, _, err := s.Create(token.Limits{}, "kim", true, "ann", "ben")
	require.NoError(t, err)
	info, err := s.Check(secret)
	require.NoError(t, err)
	require.Equal(t, []string{"ann", "ben"}, info.For)
	_, _, err = s.Create(token.Limits{}, "bot", false, "ann")
	require.ErrorContains(t, err, "a program's token is for no other clients")
	require.Contains(t, hint.Of(err), "--person")
	_, _, err = s.Create(token.Limits{}, "kay", true, "not a name")
	require.ErrorContains(t, err, "cannot name a token")
	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
}
