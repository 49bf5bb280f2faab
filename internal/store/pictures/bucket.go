package pictures

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/encoding/httpbinding"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/wait"
)

// Bucket keeps pictures as objects whose names begin with a prefix.
type Bucket struct {
	where
	patience time.Duration
	mark     func() string
	keys     func() (aws.Credentials, error)
	client   *http.Client
	signer   *v4.Signer
}

// NewBucket returns the bucket that the URL names, see [Scheme]. Behind the URL's prefix, names
// begin with the mark of the store whose pictures they are, so that several can share a bucket.
// What does not succeed is tried again for as long as patience says. Keys are those that AWS's
// programs use: of the environment, or of the file of shared credentials.
func NewBucket(at string, patience time.Duration, mark func() string) (*Bucket, error) {
	w, err := parse(at)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 8
	return &Bucket{where: w, patience: patience, mark: mark, keys: keys,
		client: &http.Client{Transport: transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { // it would not be signed
				return http.ErrUseLastResponse
			}},
		signer: v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })}, nil
}

// Close implements Keeper.
func (b *Bucket) Close() { b.client.CloseIdleConnections() }

// begin is how the names of all objects begin.
func (b *Bucket) begin() string { return b.prefix + b.mark() + "/" }

// Where implements Keeper.
func (b *Bucket) Where(name string) string {
	return Scheme + b.bucket + "/" + b.begin() + name
}

// Put implements Keeper. The picture is stored for good when it returns.
func (b *Bucket) Put(ctx context.Context, name string, picture []byte) error {
	_, err := b.send(ctx, http.MethodPut, b.begin()+name, nil, picture)
	return err
}

// Sync implements Keeper.
func (b *Bucket) Sync(string) error { return nil }

// Get implements Keeper.
func (b *Bucket) Get(ctx context.Context, name string) ([]byte, error) {
	return b.send(ctx, http.MethodGet, b.begin()+name, nil, nil)
}

// Delete implements Keeper.
func (b *Bucket) Delete(ctx context.Context, session string, names ...string) error {
	if len(names) == 0 {
		for p, err := range b.List(ctx, session) {
			if err != nil {
				return err
			}
			names = append(names, p.Name)
		}
	}
	for _, name := range names {
		_, err := b.send(ctx, http.MethodDelete, b.begin()+name, nil, nil)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Probe implements Keeper: an object is stored and deleted.
func (b *Bucket) Probe(ctx context.Context) error {
	_, err := b.send(ctx, http.MethodPut, b.begin()+"probe", nil, []byte("ready"))
	if err == nil {
		err = b.Delete(ctx, "", "probe")
	}
	return err
}

// List implements Keeper.
func (b *Bucket) List(ctx context.Context, session string) iter.Seq2[Picture, error] {
	prefix := b.begin()
	if session != "" {
		session += "/"
	}
	query := url.Values{"list-type": {"2"}, "prefix": {prefix + session}}
	return func(yield func(Picture, error) bool) {
		for more := true; more; {
			var page struct {
				Contents []struct {
					Key  string
					Size int64
				}
				IsTruncated           bool
				NextContinuationToken string
			}
			answer, err := b.send(ctx, http.MethodGet, "", query, nil)
			if err == nil {
				if err = xml.Unmarshal(answer, &page); err != nil {
					err = b.away(fmt.Errorf("reading a list: %w", err))
				}
			}
			if err != nil {
				yield(Picture{}, err)
				return
			}
			for _, o := range page.Contents {
				name := strings.TrimPrefix(o.Key, prefix)
				if strings.Count(name, "/") == 1 && !yield(Picture{name, o.Size}, nil) {
					return
				}
			}
			more = page.IsTruncated
			query.Set("continuation-token", page.NextContinuationToken)
		}
	}
}

// send makes a request for an object, or for the bucket if the key is "", and tries it again while
// the store is away.
func (b *Bucket) send(ctx context.Context, method, key string, query url.Values, body []byte) (
	answer []byte, err error) {
	within, stop := context.WithTimeout(ctx, b.patience)
	defer stop()
	var before error
	for failures := 0; ; failures++ {
		// A try that gets no answer leaves time for another.
		try, end := context.WithTimeout(within, b.patience*2/3)
		var again bool
		answer, again, err = b.try(try, method, key, query, body)
		end()
		if before != nil && errors.Is(err, context.DeadlineExceeded) {
			err = before // which says more than that there was no time for another try
		}
		before = err
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil, !again,
			wait.For(within, wait.Backoff(50*time.Millisecond, time.Second, failures)) != nil:
			return answer, err
		}
	}
}

// most is how large an answer may be.
const most = 64 << 20

// try makes a request, and reports whether it may succeed later.
func (b *Bucket) try(ctx context.Context, method, key string, query url.Values, body []byte) (
	answer []byte, again bool, err error) {
	at := b.url
	at.Path += key
	at.RawPath = httpbinding.EscapePath(at.Path, false)
	at.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", hash) // what arrives is the whole, or is refused
	keys, err := b.keys()
	if err == nil {
		err = b.signer.SignHTTP(ctx, keys, r, hash, "s3", b.region, time.Now())
	}
	if err != nil {
		return nil, false, b.away(err)
	}
	resp, err := b.client.Do(r)
	if err != nil {
		return nil, true, b.away(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(http.MaxBytesReader(nil, resp.Body, most))
	switch {
	case err != nil:
		return nil, true, b.away(fmt.Errorf("reading the answer: %w", err))
	case resp.StatusCode/100 == 2:
		return answer, false, nil
	}
	return nil, resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests,
		b.refused(resp.StatusCode, answer)
}

// away is the error of a store that cannot be asked.
func (b *Bucket) away(err error) error {
	if hint.Of(err) == "" {
		err = hint.Add(err, "see that the store of store.frames is up at "+b.url.Host+
			", and that this machine reaches it")
	}
	return fmt.Errorf("%w at %s: %w", ErrAway, b.url.Host, err)
}

// refused is the error of an answer that says no.
func (b *Bucket) refused(status int, answer []byte) error {
	var no struct{ Code, Message string }
	_ = xml.Unmarshal(answer, &no) // else the status says it
	if status == http.StatusNotFound && no.Code != "NoSuchBucket" {
		return fs.ErrNotExist
	}
	err := fmt.Errorf("it says %d %s %s", status, no.Code, no.Message)
	switch {
	case status == http.StatusNotFound:
		err = hint.Add(err, "make the bucket "+b.bucket+", or name another in store.frames")
	case no.Code == "RequestTimeTooSkewed":
		err = hint.Add(err, "set the clock of this machine")
	case status/100 == 3, no.Code == "AuthorizationHeaderMalformed":
		err = hint.Add(err, "name the region of the bucket in store.frames: ?region=REGION")
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		err = hint.Add(err, "see that the keys (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY) are "+
			"those of a user who may list, read, write and delete in the bucket "+b.bucket)
	}
	return b.away(err)
}
