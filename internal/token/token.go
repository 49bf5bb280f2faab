package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// prefix makes a token easy to recognise, for people and for programs that look for leaked secrets.
const prefix = "taploop_"

// Info is what is known of a token. Nothing of it is secret.
type Info struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"` // the principal that its bearer is
	Created time.Time `json:"created_at"`
	Person  bool      `json:"person,omitempty"` // it is a person who bears it, and no program
}

// is reports whether the token has the name or the id.
func (i Info) is(nameOrID string) bool { return i.Name == nameOrID || i.ID == nameOrID }

// entry is a token as it is stored.
type entry struct {
	Info
	Hash string `json:"sha256"`
}

// ErrNone is what [Store.Check] gives when there is no such token.
var ErrNone = errors.New("the token is not known")

// Store is the tokens of one data folder. Its methods are safe for concurrent use, also by several
// processes.
type Store struct{ path string }

// Open gives the tokens that are kept in the file. It need not exist: then there are none.
func Open(path string) *Store { return &Store{path} }

// Create makes a token and returns it, for the only time. An empty name becomes one that is free.
// person says that a person bears it, and no program.
func (s *Store) Create(name string, person bool) (token string, info Info, err error) {
	if err := checkName(name); err != nil {
		return "", Info{}, err
	}
	token = prefix + base64.RawURLEncoding.EncodeToString(random(32))
	err = s.change(func(all []entry) ([]entry, error) {
		info = Info{ID: freeID(all), Name: name, Created: time.Now().UTC().Truncate(time.Second),
			Person: person}
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

var names = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
})

func checkName(name string) error {
	if name == "" || names().MatchString(name) {
		return nil
	}
	return hint.Add(fmt.Errorf("%q cannot name a token", name),
		"use at most 64 letters, digits, dots, dashes and underscores, a letter or a digit first")
}

// List gives the tokens, the oldest first.
func (s *Store) List() ([]Info, error) {
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	list := make([]Info, 0, len(all))
	for _, e := range all {
		list = append(list, e.Info)
	}
	return list, nil
}

// Find gives the token with this name or id.
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

// Check says whose token it is, or ErrNone. The time that it takes tells nothing of the tokens
// there are, along with their number.
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
	return all[found].Info, nil
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails: the process ends first
	return b
}

// freeID is an id that no token has, neither as its id nor as its name.
func freeID(all []entry) string {
	for {
		id := hex.EncodeToString(random(4))
		if !slices.ContainsFunc(all, func(e entry) bool { return e.is(id) }) {
			return id
		}
	}
}
