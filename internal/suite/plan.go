package suite

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/taploop/taploop/internal/hint"
)

// Selection says which items are run.
type Selection struct {
	Grep  *regexp.Regexp // matches the item's name, or suite and name; nil matches all
	Tags  []string       // the item has one of them; nil does not choose
	Shard Shard
}

// Shard is a share of the items. The zero value is all.
type Shard struct {
	N, Of int // N from 1
}

// UnmarshalText reads "2/5".
func (s *Shard) UnmarshalText(b []byte) error {
	_, _ = fmt.Sscanf(string(b), "%d/%d", &s.N, &s.Of)
	if fmt.Sprintf("%d/%d", s.N, s.Of) != string(b) || s.N < 1 || s.N > s.Of {
		return fmt.Errorf("%q is no shard (write I/N, such as 2/5)", b)
	}
	return nil
}

// Select returns the items that are run, and the items that these need. Shards have different
// items. A shard may have none, and it is an error if there is none for any shard.
func Select(items []*Item, s Selection) ([]*Item, error) {
	chosen := slices.DeleteFunc(slices.Clone(items), func(i *Item) bool { return !s.takes(i) })
	if len(chosen) == 0 {
		return nil, hint.Add(errors.New("no case is chosen"),
			"--dry-run lists all cases when --grep and --tags are left out")
	}
	if s.Shard.Of > 1 {
		chosen = s.Shard.of(chosen, items)
	}
	want := map[*Item]bool{}
	for todo := chosen; len(todo) > 0; todo = todo[1:] {
		if i := todo[0]; !want[i] {
			want[i] = true
			todo = append(todo, i.Needed(items)...)
		}
	}
	return slices.DeleteFunc(slices.Clone(items), func(i *Item) bool { return !want[i] }), nil
}

func (s Selection) takes(i *Item) bool {
	if s.Grep != nil && !s.Grep.MatchString(i.Suite.Name+" "+i.Name) &&
		!s.Grep.MatchString(i.Suite.Name+" / "+i.Name) {
		return false
	}
	return len(s.Tags) == 0 || slices.ContainsFunc(i.Tags(),
		func(tag string) bool { return slices.Contains(s.Tags, tag) })
}

// of deals the chosen items out. Cases that need each other go to one shard, with all their rows.
func (s Shard) of(chosen, items []*Item) (mine []*Item) {
	first := map[*Item]*Item{} // the first row of a case that others need, by its rows
	for _, i := range items {
		needed := i.Needed(items)
		for _, row := range needed {
			first[row] = needed[0]
		}
	}
	of := map[*Item]int{}
	for _, i := range chosen {
		root := i
		for up := root.Needed(items); len(up) > 0; up = root.Needed(items) {
			root = up[0]
		}
		root = cmp.Or(first[root], root)
		if _, known := of[root]; !known {
			of[root] = len(of) % s.Of
		}
		if of[root] == s.N-1 {
			mine = append(mine, i)
		}
	}
	return mine
}

// Needed are the items of the case that i needs: one for each row.
func (i *Item) Needed(items []*Item) (all []*Item) {
	if i.Case.Needs == "" {
		return nil
	}
	for _, other := range items {
		if other.Suite == i.Suite && other.Case.written == i.Case.Needs {
			all = append(all, other)
		}
	}
	return all
}
