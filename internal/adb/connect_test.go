package adb_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
)

func clientOf(t *testing.T, s *fakeServer) *adb.Client {
	t.Helper()
	c, err := adb.New(&adb.Options{Dialer: s, Getenv: noEnv})
	require.NoError(t, err)
	t.Cleanup(s.wg.Wait)
	return c
}

func TestAPhonesAddressIsCompletedOrRefused(t *testing.T) {
	for given, want := range map[string]string{
		"192.168.1.5": "192.168.1.5:5555", " 192.168.1.5:37123 ": "192.168.1.5:37123",
		"pixel.local": "pixel.local:5555", "fe80::1": "[fe80::1]:5555",
		"[fe80::1]:7": "[fe80::1]:7",
	} {
		got, err := adb.PhoneAddress(given)
		require.NoError(t, err, given)
		require.Equal(t, want, got)
	}
	for _, given := range []string{"", ":5555", "a:b", "a:0", "a:70000", "a b", "a:1:2"} {
		_, err := adb.PhoneAddress(given)
		require.Error(t, err, given)
		require.NotEmpty(t, hint.Of(err), given)
	}
}

// The server answers OKAY also when it could not do it: the words say so.
func TestWhatTheServerSaysOfConnectingIsUnderstood(t *testing.T) {
	const at = "10.0.0.7:5555"
	for said, want := range map[string]error{
		"connected to 10.0.0.7:5555":                                  nil,
		"already connected to 10.0.0.7:5555":                          nil,
		"failed to connect to '10.0.0.7:5555': Connection refused":    adb.ErrConnect,
		"failed to authenticate to 10.0.0.7:5555":                     adb.ErrConnect,
		"unable to connect to 10.0.0.7:5555: No route to host":        adb.ErrConnect,
		"cannot resolve host 'nowhere' and port 5555: Name not known": adb.ErrConnect,
	} {
		c := clientOf(t, &fakeServer{host: map[string]string{"host:connect:" + at: said}})
		got, err := c.Connect(t.Context(), at)
		require.ErrorIs(t, err, want, said)
		if want == nil {
			require.Equal(t, said, got)
		} else {
			require.NotEmpty(t, hint.Of(err))
			require.ErrorContains(t, err, said)
		}
	}
}

func TestPairingNeverShowsTheCode(t *testing.T) {
	const at = "10.0.0.7:37123"
	c := clientOf(t, &fakeServer{host: map[string]string{
		"host:pair:123456:" + at: "Successfully paired to 10.0.0.7:37123 [guid=adb-X-y]",
		"host:pair:111111:" + at: "Failed: Wrong password 111111 or connection was dropped."}})
	said, err := c.Pair(t.Context(), at, "123456")
	require.NoError(t, err)
	require.Contains(t, said, "Successfully paired")
	_, err = c.Pair(t.Context(), at, "111111")
	require.ErrorIs(t, err, adb.ErrPair)
	require.NotContains(t, err.Error(), "111111")
	require.NotEmpty(t, hint.Of(err))
	late := clientOf(t, &fakeServer{raw: func(_ string, w *wire) bool {
		w.ok()
		w.fail("Failed: Unable to start pairing client.")
		return true
	}})
	_, err = late.Pair(t.Context(), at, "123456")
	require.ErrorIs(t, err, adb.ErrPair)
	require.ErrorContains(t, err, "Unable to start pairing client")
	require.Contains(t, hint.Of(err), "still shows the code")
	for _, bad := range []string{"", "12:34", "1 2", "12345", "abcdef"} {
		_, err = c.Pair(t.Context(), at, bad)
		require.ErrorIs(t, err, adb.ErrPair)
	}
	old := clientOf(t, &fakeServer{refuse: map[string]string{
		"host:pair:123456:" + at: "unknown host service host:pair:123456"}})
	_, err = old.Pair(t.Context(), at, "123456")
	require.ErrorIs(t, err, adb.ErrClosed)
	require.NotContains(t, err.Error(), "123456")
	require.Contains(t, hint.Of(err), "update the adb")
}

func TestWhatPhonesAnnounceIsListed(t *testing.T) {
	c := clientOf(t, &fakeServer{host: map[string]string{"host:mdns:services": "" +
		"adb-R5CT-x1\t_adb-tls-connect._tcp\t192.168.1.5:37123\n" +
		"taploop-ABC\t_adb-tls-pairing._tcp.\t192.168.1.5:41001\nnonsense\n"}})
	list, err := c.Announced(t.Context())
	require.NoError(t, err)
	require.Equal(t, []adb.Announced{
		{"adb-R5CT-x1", adb.ServiceConnect, "192.168.1.5:37123"},
		{"taploop-ABC", adb.ServicePairing, "192.168.1.5:41001"}}, list)
}

// A server that does not listen for phones is told from one that is not there: each has its mend.
func TestWhyNoPhoneIsHeardOrDisconnectedIsSaid(t *testing.T) {
	deaf := clientOf(t, &fakeServer{refuse: map[string]string{
		"host:mdns:services": "unknown host service"}})
	_, err := deaf.Announced(t.Context())
	require.ErrorContains(t, err, "does not hear phones")
	require.Contains(t, hint.Of(err), "taploop pair HOST:PORT CODE")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	away, err := adb.New(&adb.Options{Server: ln.Addr().String(), StartsNone: true})
	require.NoError(t, err)
	_, err = away.Announced(t.Context())
	require.ErrorIs(t, err, adb.ErrNoServer)
	require.NotContains(t, err.Error()+hint.Of(err), "pair")
	_, err = away.Disconnect(t.Context(), "")
	require.ErrorIs(t, err, adb.ErrNoServer)
	require.NotContains(t, hint.Of(err), "taploop devices")
	busy := clientOf(t, &fakeServer{refuse: map[string]string{
		"host:disconnect:10.0.0.1:5555": "no such device '10.0.0.1:5555'"}})
	_, err = busy.Disconnect(t.Context(), "10.0.0.1:5555")
	require.ErrorContains(t, err, "no such device")
	require.Contains(t, hint.Of(err), "taploop devices")
}
