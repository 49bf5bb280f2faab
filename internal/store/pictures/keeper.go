// Package pictures keeps the pictures of steps: as files of a folder, or as objects of a bucket in
// a store that speaks S3.
package pictures

import (
	"context"
	"errors"
	"iter"
)

// Keeper keeps pictures by their names, SESSION/FILE. It is safe for concurrent use.
type Keeper interface {
	// Put stores a picture, and replaces one of the same name.
	Put(ctx context.Context, name string, b []byte) error
	// Sync makes a picture that was put survive a crash of the machine.
	Sync(name string) error
	// Get returns a picture. The error is an fs.ErrNotExist if there is none of the name.
	Get(ctx context.Context, name string) ([]byte, error)
	// List lists the pictures of a session, or with "" those of all, one session after the other.
	List(ctx context.Context, session string) iter.Seq2[Picture, error]
	// Delete deletes these pictures of a session, or without names all of them.
	Delete(ctx context.Context, session string, names ...string) error
	// Where returns the place of a picture, for people: a path or a URL.
	Where(name string) string
	// Probe reports why no picture can be stored.
	Probe(ctx context.Context) error
	// Close ends the connections.
	Close()
}

// Picture is a picture in a list.
type Picture struct {
	Name string
	Size int64
}

// ErrAway is in the errors of a Bucket that cannot be read or written for now. Their hints say why.
var ErrAway = errors.New("S3")
