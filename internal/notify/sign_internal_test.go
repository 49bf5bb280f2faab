package notify

import (
	"encoding/base64"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The vector is the one that the specification's own libraries are tested with.
func TestASignatureIsTheOneOfTheSpecification(t *testing.T) {
	key, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	require.NoError(t, err)
	got := sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, []byte(`{"test": 2432232314}`))
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", got)
}

func TestRetryAfterIsSecondsOrADateAndBounded(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-1": 0, "NaN": 0, "0": 0, "1.5": 1500 * time.Millisecond,
		"120": 2 * time.Minute, "1e30": time.Hour,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat):     0,
		time.Now().Add(48 * time.Hour).UTC().Format(http.TimeFormat): time.Hour,
	} {
		require.Equal(t, want, retryAfter(http.Header{"Retry-After": {value}}), "%q", value)
	}
	in := retryAfter(
		http.Header{"Retry-After": {time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}})
	require.InDelta(t, 59, in.Seconds(), 1.5)
}
