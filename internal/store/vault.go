package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/taploop/taploop/internal/store/pictures"
)

// vault encrypts secret answers, from when they are accepted until their run ends, so that no page
// of the database or of its log ever holds one in clear, not even after it was erased. The key is a
// file next to the database.
type vault struct {
	aead cipher.AEAD
	key  []byte
}

const (
	vaultName = "answers.key" // within the data folder
	keySize   = 32
)

func openVault(path string) (*vault, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writeKey(path, newKey()); err == nil {
			key, err = os.ReadFile(path) // of several processes one wins, and all read its key
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key for secret answers: %w", err)
	}
	return newVault(key)
}

func newVault(key []byte) (*vault, error) {
	if len(key) != keySize {
		return nil, fmt.Errorf("the key for secret answers, %s, has %d bytes (want %d)", vaultName,
			len(key), keySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &vault{aead, key}, nil
}

func newKey() []byte {
	key := make([]byte, keySize)
	rand.Read(key) // never fails
	return key
}

// writeKey writes the key to the path unless there is one.
func writeKey(path string, key []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return pictures.SyncDir(filepath.Dir(path))
}

// seal encrypts text. The question's id is bound in, so that a sealed answer cannot be moved to
// another question.
func (v *vault) seal(id, text string) []byte {
	return v.aead.Seal(nil, nil, []byte(text), []byte(id))
}

func (v *vault) open(id string, sealed []byte) (string, error) {
	text, err := v.aead.Open(nil, nil, sealed, []byte(id))
	return string(text), doing(err, "opening a sealed answer")
}
