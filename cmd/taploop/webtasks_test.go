package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/web"
)

func TestWhoseWordARequestBrings(t *testing.T) {
	for want, p := range map[string]web.Person{
		inquiry.AuthorityClientModel: {Name: "bot", Channel: "http", Program: true},
		inquiry.AuthorityHumanToken:  {Name: "ann", Channel: "http"},
	} {
		require.Equal(t, want, wordOf(p).Authority)
		require.Equal(t, p.Name, wordOf(p).Name)
	}
	require.Equal(t, inquiry.AuthorityHumanToken,
		wordOf(web.Person{Name: "kitchen", Channel: "page"}).Authority)
}
