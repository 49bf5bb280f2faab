package push

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"io"
	"math/big"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The keys of the example in RFC 8291, section 5.
const (
	theirs = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	auth   = "BTBZMqHH6r4Tts7J_aSIgg"
)

func subscription(endpoint string) (s Subscription) {
	s.Endpoint, s.Keys.P256dh, s.Keys.Auth = endpoint, theirs, auth
	return s
}

func TestAMessageIsEncryptedAsTheStandardsExample(t *testing.T) {
	to, err := subscription("https://push.example.net/push/J").read()
	require.NoError(t, err)
	raw, err := decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
	require.NoError(t, err)
	mine, err := ecdh.P256().NewPrivateKey(raw)
	require.NoError(t, err)
	salt, err := decode("DGv6ra1nlYgDCS1FRnbzlw")
	require.NoError(t, err)
	got, err := encrypt(to, mine, salt, []byte("When I grow up, I want to be a watermelon"))
	require.NoError(t, err)
	require.Equal(t, "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6"+
		"e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVW"+
		"GNWQexSgSxsj_Qulcy4a-fN", encode(got))
	_, err = encrypt(to, mine, salt, make([]byte, maxBody+1))
	require.ErrorContains(t, err, "at most 3900")
}

func TestARequestSaysWhoSendsToThisServiceAlone(t *testing.T) {
	b := Open(filepath.Join(t.TempDir(), "push.json"))
	r, err := b.Request(t.Context(), subscription("https://push.example:8443/x"),
		Message{Body: []byte("{}"), TTL: time.Hour, Topic: "q1"})
	require.NoError(t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Len(t, body, 16+4+1+65+2+1+16)
	require.Equal(t, "3600", r.Header.Get("TTL"))
	require.Len(t, r.Header.Get("Topic"), 32)
	said, k, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "vapid t="), ", k=")
	public, err := b.Key()
	require.NoError(t, err)
	require.Equal(t, public, k, "the key that browsers subscribe with")
	parts := strings.Split(said, ".")
	require.Len(t, parts, 3)
	claims, err := decode(parts[1])
	require.NoError(t, err)
	require.Contains(t, string(claims), `"aud":"https://push.example:8443"`)
	sig, err := decode(parts[2])
	require.NoError(t, err)
	key, err := b.key()
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	require.True(t, ecdsa.Verify(&key.PublicKey, sum[:], new(big.Int).SetBytes(sig[:32]),
		new(big.Int).SetBytes(sig[32:])))
	require.Equal(t, elliptic.P256(), key.Curve)
	again, err := sign(key, &url.URL{Scheme: "https", Host: "other"}, time.Now())
	require.NoError(t, err)
	require.NotContains(t, again, parts[1])
}

func TestSubscriptionsAreKeptUntilTheyEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "push.json")
	synctest.Test(t, func(t *testing.T) {
		b := Open(path)
		for _, at := range []string{"https://a/1", "https://a/2", "http://127.0.0.1:9/3",
			"https://a/1"} {
			require.NoError(t, b.Add(subscription(at)))
		}
		endpoints := func() (list []string) {
			all, err := Open(path).List()
			require.NoError(t, err)
			for _, s := range all {
				list = append(list, s.Endpoint)
			}
			return list
		}
		require.Equal(t, []string{"https://a/2", "http://127.0.0.1:9/3", "https://a/1"}, endpoints())
		require.NoError(t, b.Remove("https://a/2"))
		time.Sleep(life - time.Hour)
		require.NoError(t, b.Add(subscription("https://a/1")))
		time.Sleep(time.Hour)
		require.Equal(t, []string{"https://a/1"}, endpoints())
		before, err := b.Key()
		require.NoError(t, err)
		after, err := Open(path).Key()
		require.NoError(t, err)
		require.Equal(t, before, after)
	})
}

func TestAStrangeSubscriptionIsRefused(t *testing.T) {
	b := Open(filepath.Join(t.TempDir(), "push.json"))
	short, off := subscription("https://a/1"), subscription("https://a/1")
	short.Keys.Auth, off.Keys.P256dh = "AAAA", strings.Repeat("A", 87)
	for _, c := range []struct {
		s    Subscription
		want string
	}{
		{subscription("http://push.example/1"), "not reached by HTTPS"},
		{subscription("push"), "no address"}, {subscription("file:///etc/passwd"), "no address"},
		{short, "16 bytes"}, {off, "no point"},
	} {
		require.ErrorContains(t, b.Add(c.s), c.want)
	}
	list, err := b.List()
	require.NoError(t, err)
	require.Empty(t, list)
}
