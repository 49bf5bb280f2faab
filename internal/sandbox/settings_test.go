package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
)

func TestPhonesOfOneSerialAtSeveralPlacesAreSeveral(t *testing.T) {
	id := func(serial, place string) string {
		value, ok := sandbox.New(&sandbox.Options{Serial: serial, Place: place}).Settings.
			Setting("secure", "android_id")
		require.True(t, ok)
		require.Regexp(t, `^[0-9a-f]{16}$`, value)
		return value
	}
	require.Equal(t, id("one", "127.0.0.1:5037"), id("one", "127.0.0.1:5037"), "also after a restart")
	require.NotEqual(t, id("one", "127.0.0.1:5037"), id("one", "127.0.0.1:5038"))
	require.NotEqual(t, id("one", ""), id("two", ""))
}
