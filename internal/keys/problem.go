package keys

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/taploop/taploop/internal/text"
)

// Position is a place in a file. Lines and columns count from 1, and 0 is unknown.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Problem is something wrong at a place.
type Problem struct {
	Position
	Text string
}

// Problems are all that is wrong with one or more files.
type Problems []Problem

// Add adds a problem.
func (p *Problems) Add(at Position, format string, args ...any) {
	*p = append(*p, Problem{at, fmt.Sprintf(format, args...)})
}

// Join adds the problems that an error has, or the error as one of the file.
func (p *Problems) Join(file string, err error) {
	if of, is := errors.AsType[*fs.PathError](err); is {
		err = of.Err
	}
	if more, is := errors.AsType[Problems](err); is {
		*p = append(*p, more...)
	} else if err != nil {
		p.Add(Position{File: file}, "%v", err)
	}
}

// Err returns the problems as an error, in the order of the files, or nil if there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	return slices.Compact(p)
}

func (p Problems) Error() string {
	line := func(one Problem) string { return one.Position.String() + ": " + one.Text }
	return strings.Join(text.Each(p, line), "\n")
}

// Place is where a struct and its keys stand in a file.
type Place struct {
	at   Position
	keys map[string]Position
	// what it was read from
	node    ast.Node
	anchors map[string]ast.Node
}

// At is where the struct begins.
func (p *Place) At() Position { return p.at }

// Of is where the value of a key stands, or where the struct begins if the key is not there.
func (p *Place) Of(key string) Position {
	if at, ok := p.keys[key]; ok {
		return at
	}
	return p.at
}

// Has reports whether the key is there.
func (p *Place) Has(key string) bool { _, ok := p.keys[key]; return ok }

// Put says where a struct stands that was not read by this package.
func (p *Place) Put(at Position) { p.at = at }

func (p *Place) place() *Place { return p }

// Placed is a struct that embeds Place.
type Placed interface{ place() *Place }
