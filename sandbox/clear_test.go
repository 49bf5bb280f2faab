package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/sandbox/apps"
)

func TestClearedDataIsThatOfANewApp(t *testing.T) {
	p := New(nil)
	p.Edit(func(d *apps.Data) {
		d.Shop.User = "somebody"
		d.Granted = map[string]bool{"com.android.messaging x": true,
			"com.android.messaging.other x": true}
	})
	require.NoError(t, p.Launch("com.taploop.sandbox.notes"))
	for _, pkg := range []string{"com.android.deskclock", "com.android.messaging",
		"com.taploop.sandbox.notes", "com.taploop.sandbox.shop"} {
		require.NoError(t, p.ClearData(pkg))
	}
	p.Inspect(func(d *apps.Data) {
		require.Empty(t, d.Alarms)
		require.Empty(t, d.Threads)
		require.Empty(t, d.Notes)
		require.Empty(t, d.Shop.User)
		require.Equal(t, "2580", d.Shop.WalletPIN)
		require.Equal(t, map[string]bool{"com.android.messaging.other x": true}, d.Granted)
	})
	require.Equal(t, launcherPackage, p.Foreground().Package, "the app was ended")
	require.ErrorIs(t, p.ClearData("com.x"), ErrNoPackage)
	require.NoError(t, p.ClearData("com.android.settings"))
}
