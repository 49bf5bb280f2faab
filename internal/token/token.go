package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// prefix makes tokens recognisable for people and for secret scanners.
const prefix = "taploop_"

// Info describes a token. It contains no secret.
type Info struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"` // the principal that the token authenticates
	Created time.Time `json:"created_at"`
	Person  bool      `json:"person,omitempty"` // the bearer is a person, not a program
	// the clients whose sessions a person sees beside their own, by the names of their tokens
	For []string `json:"for,omitempty"`
	Limits
}

// is reports whether the token has the name or the id.
func (i Info) is(nameOrID string) bool { return i.Name == nameOrID || i.ID == nameOrID }

// entry is a token as it is kept.
type entry struct {
	Info
	Hash string `json:"sha256"`
}

// ErrNone is returned by [Store.Check] for an unknown token.
var ErrNone = errors.New("the token is not known")

// Store stores the tokens in a [Place]. It is safe for concurrent use, also by several processes.
type Store struct{ place place }

// In returns the Store in the place.
func In(p place) *Store { return &Store{p} }

// Import takes over the tokens of a file in which earlier versions kept them, with when they were
// used, except those whose name or id is taken. Then the file says that it was taken over. Each
// token is imported once: one that was revoked since does not come back. There need be no file.
func (s *Store) Import(path string) error {
	old, err := theFile(path)
	if err != nil || old == nil || old.Version == takenOver {
		return err
	}
	// A file of that version is refused by a server that still reads it, and lets nobody in.
	return files.Change(path, func() (*content, error) {
		old, err := theFile(path)
		if err != nil || old == nil || old.Version == takenOver {
			return old, err
		}
		uses := strings.TrimSuffix(path, ".json") + "-used.json"
		used, _ := os.ReadFile(uses)
		err = s.changeContent(func(c *content) error { c.add(old.Tokens); return nil })
		if err == nil && used != nil {
			err = errors.Join(s.NoteUsed(usesIn(used).Used), os.Remove(uses))
		}
		return &content{Version: takenOver}, err
	})
}

// theFile reads a file of tokens, nil if there is none.
func theFile(path string) (*content, error) {
	old, err := files.Value[content](path)
	if errors.Is(err, files.ErrContent) ||
		err == nil && old != nil && old.Version != version && old.Version != takenOver {
		return nil, hint.Add(fmt.Errorf("reading the tokens: %s is not a file of tokens "+
			"(version %d)", path, version),
			"move it away and create new tokens; until then every request is refused")
	}
	return old, err
}

// add adds tokens that were not imported yet.
func (c *content) add(theirs []entry) {
	for _, e := range theirs {
		taken := func(o entry) bool { return o.is(e.Name) || o.is(e.ID) }
		if slices.Contains(c.Imported, e.ID) {
			continue
		}
		if !slices.ContainsFunc(c.Tokens, taken) {
			c.Tokens = append(c.Tokens, e)
		}
		c.Imported = append(c.Imported, e.ID)
	}
}

// Create creates a token and returns it. It cannot be read again later. If name is empty, Create
// chooses an unused one. person says that the bearer is a person, not a program, and tenants whose
// sessions that person sees beside their own. They need not have tokens yet.
func (s *Store) Create(limits Limits, name string, person bool, tenants ...string) (
	token string, info Info, err error) {
	if _, err := ParseRate(string(limits.Rate)); err != nil {
		return "", Info{}, err
	}
	if !limits.Expires.IsZero() && !limits.Expires.After(time.Now()) {
		return "", Info{}, hint.Add(errors.New("the token would have expired already"),
			"give a time to come, such as 30d")
	}
	for _, n := range append(tenants, name) {
		if err := checkName(n); err != nil {
			return "", Info{}, err
		}
	}
	if len(tenants) > 0 && !person {
		return "", Info{}, hint.Add(errors.New("a program's token is for no other clients"),
			"add --person if a person bears it; a program that is to see everything is named in "+
				"http.operators")
	}
	token = prefix + base64.RawURLEncoding.EncodeToString(random(32))
	err = s.change(func(all []entry) ([]entry, error) {
		info = Info{ID: freeID(all), Name: name, Created: time.Now().UTC().Truncate(time.Second),
			Person: person, For: tenants, Limits: limits}
		if name == "" {
			info.Name = "token-" + info.ID
		}
		if slices.ContainsFunc(all, func(e entry) bool { return e.is(info.Name) }) {
			return nil, hint.Add(fmt.Errorf("there is a token named %q", info.Name),
				"choose another --name, or revoke it first: taploop token revoke "+info.Name+
					"; with taploop token adopt "+info.Name+" it takes over what was begun "+
					"without a token")
		}
		return append(all, entry{info, hash(token)}), nil
	})
	if err != nil {
		return "", Info{}, err
	}
	return token, info, nil
}

var names = text.Lazily(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func checkName(name string) error {
	if name == "" || names().MatchString(name) {
		return nil
	}
	return hint.Add(fmt.Errorf("%q cannot name a token", name),
		"use at most 64 letters, digits, dots, dashes and underscores, a letter or a digit first")
}

// List returns the tokens, oldest first.
func (s *Store) List() ([]Info, error) {
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	return text.Each(all, func(e entry) Info { return e.Info }), nil
}

// Find returns the token with this name or id.
func (s *Store) Find(nameOrID string) (Info, error) {
	all, err := s.read()
	if err != nil {
		return Info{}, err
	}
	i, err := index(all, nameOrID)
	if err != nil {
		return Info{}, err
	}
	return all[i].Info, nil
}

func index(all []entry, nameOrID string) (int, error) {
	i := slices.IndexFunc(all, func(e entry) bool { return e.is(nameOrID) })
	if i < 0 {
		return i, hint.Add(fmt.Errorf("there is no token %q", nameOrID),
			"`taploop token list` shows the names; taploop token create --name NAME makes one")
	}
	return i, nil
}

// Revoke removes the token with this name or id.
func (s *Store) Revoke(nameOrID string) (info Info, err error) {
	err = s.change(func(all []entry) ([]entry, error) {
		i, err := index(all, nameOrID)
		if err != nil {
			return nil, err
		}
		info = all[i].Info
		return slices.Delete(all, i, i+1), nil
	})
	return info, err
}

// Check returns the Info of a token, or ErrNone, or ErrExpired. Its timing reveals only the number
// of tokens.
func (s *Store) Check(token string) (Info, error) {
	all, err := s.read()
	if err != nil {
		return Info{}, err
	}
	given := []byte(hash(token))
	found := -1
	for i, e := range all {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(given, []byte(e.Hash)), i,
			found)
	}
	if found < 0 {
		return Info{}, ErrNone
	}
	if at := all[found].Expires; !at.IsZero() && !time.Now().Before(at) {
		return Info{}, ErrExpired
	}
	return all[found].Info, nil
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // ends the process if it fails
	return b
}

// freeID returns an id that is neither the id nor the name of a token.
func freeID(all []entry) string {
	for {
		id := hex.EncodeToString(random(4))
		if !slices.ContainsFunc(all, func(e entry) bool { return e.is(id) }) {
			return id
		}
	}
}

// NextExpiry is when the next token expires after now, zero if none does.
func (s *Store) NextExpiry(now time.Time) (next time.Time, err error) {
	all, err := s.read()
	for _, e := range all {
		if at := e.Expires; at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next, err
}

// NoteUsed stores when tokens were used last, by their ids.
func (s *Store) NoteUsed(used map[string]time.Time) error {
	err := s.place.Change(usesName, func(before json.RawMessage) (json.RawMessage, error) {
		u := usesIn(before)
		for id, at := range used {
			if at.After(u.Used[id]) {
				u.Used[id] = at.UTC().Truncate(time.Second)
			}
		}
		return json.Marshal(u)
	})
	if err != nil {
		return fmt.Errorf("noting when tokens were used: %w", err)
	}
	return nil
}

// LastUsed returns when tokens were used last, by their ids, as far as that is known.
func (s *Store) LastUsed() map[string]time.Time {
	value, _ := s.place.Read(usesName)
	return usesIn(value).Used
}

// usesIn reads a value that nothing depends on: one that is damaged begins again.
func usesIn(value json.RawMessage) (u usage) {
	if json.Unmarshal(value, &u) != nil || u.Used == nil {
		u = usage{Used: map[string]time.Time{}}
	}
	return u
}

// content is the value of the tokens.
type content struct {
	Version  int      `json:"version"`
	Tokens   []entry  `json:"tokens"`
	Imported []string `json:"imported,omitempty"` // the ids, also of those that were revoked since
}

// takenOver is the version of a file whose tokens were imported.
const (
	version   = 1
	takenOver = 2
)

func (s *Store) read() ([]entry, error) {
	value, err := s.place.Read(tokensName)
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	c, err := decode(value)
	return c.Tokens, err
}

func decode(value json.RawMessage) (content, error) {
	c := content{Version: version}
	if value != nil && (json.Unmarshal(value, &c) != nil || c.Version != version) {
		return content{},
			hint.Add(fmt.Errorf("reading the tokens: the store has none of version %d", version),
				"use the newer taploop that wrote them, or restore a backup; until then every "+
					"request is refused")
	}
	return c, nil
}

// change replaces the tokens by the result of edit. Only one process at a time changes them.
func (s *Store) change(edit func([]entry) ([]entry, error)) error {
	return s.changeContent(func(c *content) (err error) {
		c.Tokens, err = edit(c.Tokens)
		return err
	})
}

func (s *Store) changeContent(edit func(*content) error) error {
	return s.place.Change(tokensName, func(before json.RawMessage) (json.RawMessage, error) {
		c, err := decode(before)
		if err == nil {
			err = edit(&c)
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(c)
	})
}
