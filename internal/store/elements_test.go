package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// listed is what a phone lists of a screen with n rows, each with a text of its own.
func listed(n int, text string) []screen.Element {
	var list []screen.Element
	for i := range n {
		y := float64(i) / float64(n)
		row := screen.Rect{Min: screen.Point{X: 1.0 / 27, Y: y},
			Max: screen.Point{X: 26.0 / 27, Y: y + 0.9/float64(n)}}
		list = append(list, screen.Element{Bounds: row, Class: "android.view.ViewGroup", Depth: 7,
			Clickable: true, Enabled: true, ResourceID: "com.example.shop:id/row"},
			screen.Element{Bounds: row, Class: "android.widget.TextView", Depth: 8, Enabled: true,
				Text: fmt.Sprintf("%s %d for %d.%02d", text, i, i*37%91, i*53%100)})
	}
	return list
}

// A full screen of 120 elements costs a step less than 2 KB, an empty list nothing, and one that is
// longer than any screen's is left out: the step is kept all the same.
func TestTheElementsOfAStepAreKeptInFewBytes(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	r := started(t, s)
	j := s.Journal(r)
	endless := listed(500, "")
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range endless {
		for range screen.MaxElementText / 16 {
			endless[i].Text += fmt.Sprintf("%016x", noise.Uint64())
		}
	}
	lists := [][]screen.Element{nil, listed(60, "Running shoes"), endless}
	for i, list := range lists {
		st := step(t, i+1, actions.Home{})
		st.Proposal.Elements = list
		require.NoError(t, j.Intent(t.Context(), st))
		require.NoError(t, j.Done(t.Context(), st, agentloop.Progress{Steps: i + 1}))
	}
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, steps, 3)
	require.Nil(t, steps[0].Proposal.Elements)
	require.Equal(t, lists[1], steps[1].Proposal.Elements)
	sizes := []int{}
	for n := range steps {
		var size int
		row := s.Raw().QueryRow("SELECT length(elements) FROM steps WHERE idx = ?", n+1)
		require.NoError(t, row.Scan(&size))
		sizes = append(sizes, size)
	}
	require.Zero(t, sizes[0])
	require.Less(t, sizes[1], 2<<10, "of 120 elements")
	require.Zero(t, sizes[2])
	require.Nil(t, steps[2].Proposal.Elements)
}

// BenchmarkElementsOfAStep is what keeping the elements of a full screen adds to a step, and what
// they take in the store.
func BenchmarkElementsOfAStep(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	r := started(b, s)
	j := s.Journal(r)
	n := 0
	took := func(list []screen.Element) time.Duration {
		n++
		st := step(b, n, actions.Home{})
		st.Proposal.Elements = list
		began := time.Now()
		require.NoError(b, j.Intent(b.Context(), st))
		require.NoError(b, j.Done(b.Context(), st, agentloop.Progress{Steps: n}))
		return time.Since(began)
	}
	var with, without time.Duration
	rounds := 0
	for b.Loop() {
		with, without = with+took(listed(60, "Running shoes")), without+took(nil)
		rounds++
	}
	var size float64
	row := s.Raw().QueryRow("SELECT max(length(elements)) FROM steps")
	require.NoError(b, row.Scan(&size))
	b.ReportMetric((with-without).Seconds()*1000/float64(rounds), "elements-ms/step")
	b.ReportMetric(with.Seconds()/without.Seconds(), "times-without")
	b.ReportMetric(size/1000, "elements-kB/step")
	b.ReportMetric(0, "ns/op")
}
