package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePageOfTheSettingsSaysWhatEachIs(t *testing.T) {
	made, err := configuration()
	require.NoError(t, err)
	page, err := os.ReadFile("../../../docs/configuration.md")
	require.NoError(t, err)
	require.Equal(t, string(page), string(made))
}
