package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

func TestACommandContinuesARunThatWaits(t *testing.T) {
	const id = "0123456789abcdef"
	require.Equal(t, "taploop continue "+id, continueCommand(id, nil, false))
	for _, c := range []struct {
		kind   inquiry.Kind
		secret bool
		want   string
	}{
		{"", false, "taploop continue " + id + " --reply TEXT"},
		{"", true, "taploop continue " + id + " --reply -"},
		{inquiry.KindApproval, false, "taploop reply ce867017 --approve"},
		{inquiry.KindTakeover, false, "taploop reply ce867017 --done"},
	} {
		q := &inquiry.Question{ID: "ce86701700000000", Kind: c.kind, Secret: c.secret}
		require.Equal(t, c.want, continueCommand(id, q, true))
		if q.ForPeople() {
			c.want = "taploop inquiries ce867017"
		}
		require.Equal(t, c.want, continueCommand(id, q, false), "of a program")
	}
}
