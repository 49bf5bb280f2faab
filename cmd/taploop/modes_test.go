package main

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/config"
	"github.com/taploop/taploop/inquiry/channel"
)

func TestHelpNamesEveryChannelOfAReplyMode(t *testing.T) {
	keys := config.Keys()
	i := slices.IndexFunc(keys, func(k config.Key) bool { return k.Path == "reply.mode" })
	require.NotEqual(t, -1, i)
	serve, found := reflect.TypeFor[serveCmd]().FieldByName("ReplyMode")
	require.True(t, found)
	for _, c := range channel.Steps() {
		require.Contains(t, keys[i].Help, c.Name, "the setting's help")
		require.Contains(t, serve.Tag.Get("help"), c.Name, "the flag's help")
	}
}
