package main

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/config"
	"github.com/taploop/taploop/inquiry/channel"
)

func TestHelpNamesEveryChannelOfAReplyMode(t *testing.T) {
	mode, found := reflect.TypeFor[config.Reply]().FieldByName("Mode")
	require.True(t, found)
	serve, found := reflect.TypeFor[serveCmd]().FieldByName("ReplyMode")
	require.True(t, found)
	for _, c := range channel.Steps() {
		require.Contains(t, mode.Tag.Get("help"), c.Name, "the setting's help")
		require.Contains(t, serve.Tag.Get("help"), c.Name, "the flag's help")
	}
}
