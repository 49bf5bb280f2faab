package push

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Message is what a browser is sent.
type Message struct {
	Body []byte        // encrypted; maxBody at most
	TTL  time.Duration // how long the push service keeps it for a browser that is away
	// a later message takes the place of one with the same topic that was not delivered yet
	Topic string
}

// maxBody is the longest body of a message: a push service takes 4096 bytes in all.
const maxBody = 3900

// signed is how long a signature holds; RFC 8292 wants at most a day.
const signed = 12 * time.Hour

// operator is where a push service finds out who sends, as RFC 8292 wants it.
const operator = "https://github.com/taploop/taploop"

// Request is the request that hands a message to the push service of a browser.
func (b *Browsers) Request(ctx context.Context, s Subscription, m Message) (*http.Request, error) {
	to, err := s.read()
	if err != nil {
		return nil, err
	}
	key, err := b.key()
	if err != nil {
		return nil, err
	}
	mine, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	var salt [16]byte
	rand.Read(salt[:]) // never fails
	body, err := encrypt(to, mine, salt[:], m.Body)
	if err != nil {
		return nil, err
	}
	by, err := sign(key, to.endpoint, time.Now())
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(m.Topic))
	for name, value := range map[string]string{"Authorization": by, "Content-Encoding": "aes128gcm",
		"Content-Type": "application/octet-stream", "Urgency": "high",
		"Ttl": strconv.Itoa(int(max(m.TTL, 0).Seconds())), "Topic": encode(sum[:24])} {
		r.Header.Set(name, value)
	}
	return r, nil
}

// encrypt makes the one record of a message, as RFC 8291 describes.
func encrypt(to opened, mine *ecdh.PrivateKey, salt, body []byte) ([]byte, error) {
	if len(body) > maxBody {
		return nil, fmt.Errorf("the message has %d bytes (at most %d)", len(body), maxBody)
	}
	shared, err := mine.ECDH(to.public)
	if err != nil {
		return nil, err
	}
	public := mine.PublicKey().Bytes()
	info := slices.Concat([]byte("WebPush: info\x00"), to.public.Bytes(), public)
	secret, err := hkdf.Key(sha256.New, shared, to.auth, string(info), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint32(slices.Clone(salt), 4096) // the size of records
	out = append(append(out, byte(len(public))), public...)
	const last = 2 // ends the text of the last record
	return gcm.Seal(out, nonce, append(slices.Clone(body), last), nil), nil
}

// sign says who sends, as RFC 8292 describes, to the service of the endpoint alone.
func sign(key *ecdsa.PrivateKey, endpoint *url.URL, now time.Time) (string, error) {
	claims, err := json.Marshal(map[string]any{"aud": endpoint.Scheme + "://" + endpoint.Host,
		"exp": now.Add(signed).Unix(), "sub": operator})
	if err != nil {
		return "", err
	}
	public, err := key.PublicKey.ECDH()
	if err != nil {
		return "", err
	}
	token := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(token))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", err
	}
	var both [64]byte
	r.FillBytes(both[:32])
	s.FillBytes(both[32:])
	return "vapid t=" + token + "." + encode(both[:]) + ", k=" + encode(public.Bytes()), nil
}
