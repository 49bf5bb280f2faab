package pictures_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/s3test"
	"github.com/taploop/taploop/internal/store/pictures"
)

func TestMain(m *testing.M) {
	for name, value := range s3test.Keys {
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

func bucket(t *testing.T, at string, patience time.Duration, mark string) *pictures.Bucket {
	t.Helper()
	b, err := pictures.NewBucket(at, patience, func() string { return mark })
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

// The contract, which every keeper passes.
func TestPicturesAreKeptWhereverTheyAre(t *testing.T) {
	server := s3test.Start(t)
	const odd = "a b/ü+%41&=~'(*)"
	for name, keeper := range map[string]func(t *testing.T) pictures.Keeper{
		"a folder": func(t *testing.T) pictures.Keeper {
			return pictures.Folder(filepath.Join(t.TempDir()))
		},
		"a bucket": func(t *testing.T) pictures.Keeper {
			return bucket(t, server.URL(s3test.Bucket, ""), time.Minute, "m1")
		},
		"a bucket with an odd prefix": func(t *testing.T) pictures.Keeper {
			return bucket(t, server.URL(s3test.Bucket, odd), time.Minute, "m2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			contract(t, keeper(t))
		})
	}
}

func listed(t *testing.T, k pictures.Keeper, session string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	var sessions []string
	for p, err := range k.List(t.Context(), session) {
		require.NoError(t, err)
		all[p.Name] = p.Size
		in, _, _ := strings.Cut(p.Name, "/")
		if len(sessions) == 0 || sessions[len(sessions)-1] != in {
			require.NotContains(t, sessions, in, "one session after the other")
			sessions = append(sessions, in)
		}
	}
	return all
}

func contract(t *testing.T, k pictures.Keeper) {
	ctx := t.Context()
	require.Empty(t, listed(t, k, ""))
	_, err := k.Get(ctx, "s1/1.1.jpeg")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, k.Delete(ctx, "s1"), "none is no error")
	require.NoError(t, k.Delete(ctx, "s1", "s1/1.1.jpeg"))
	require.NoError(t, k.Probe(ctx))
	require.Empty(t, listed(t, k, ""), "a probe leaves nothing")

	large := []byte(strings.Repeat("\xff\x00", 200_000))
	for name, b := range map[string][]byte{"s1/1.1.jpeg": []byte("one"), "s1/2.1.jpeg": large,
		"s10/1.1.jpeg": {}, "s2/1.1.jpeg": []byte("two")} {
		require.NoError(t, k.Put(ctx, name, b))
		require.NoError(t, k.Sync(name))
		got, err := k.Get(ctx, name)
		require.NoError(t, err)
		require.Equal(t, len(b), len(got))
		require.Equal(t, string(b), string(got))
		require.True(t, strings.HasSuffix(filepath.ToSlash(k.Where(name)), name), k.Where(name))
	}
	require.NoError(t, k.Put(ctx, "s1/1.1.jpeg", []byte("again")), "another of the same name")
	got, err := k.Get(ctx, "s1/1.1.jpeg")
	require.NoError(t, err)
	require.Equal(t, "again", string(got))
	require.Equal(t, map[string]int64{"s1/1.1.jpeg": 5, "s1/2.1.jpeg": 400_000}, listed(t, k, "s1"))
	require.Len(t, listed(t, k, ""), 4)
	for range k.List(ctx, "") {
		break // who lists may have seen enough
	}

	require.NoError(t, k.Delete(ctx, "s1", "s1/2.1.jpeg", "s1/7.1.jpeg"))
	require.Equal(t, map[string]int64{"s1/1.1.jpeg": 5}, listed(t, k, "s1"))
	require.NoError(t, k.Delete(ctx, "s1"))
	require.Equal(t, map[string]int64{"s10/1.1.jpeg": 0, "s2/1.1.jpeg": 3}, listed(t, k, ""))
	_, err = k.Get(ctx, "s1/1.1.jpeg")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// More pictures than fit in one answer, in a bucket that another store uses as well.
func TestALongListComesInParts(t *testing.T) {
	server := s3test.Start(t)
	b := bucket(t, server.URL(s3test.Bucket, "p"), time.Minute, "m")
	other := bucket(t, server.URL(s3test.Bucket, "p"), time.Minute, "n")
	const many = 1001
	require.NoError(t, other.Put(t.Context(), "s1/1.1.jpeg", nil))
	for n := range many {
		require.NoError(t, b.Put(t.Context(), fmt.Sprintf("s%d/1.1.jpeg", n), nil))
	}
	require.Len(t, listed(t, b, ""), many)
	require.Len(t, listed(t, other, ""), 1)
}

// front stands before the server. It passes the request on as it was signed.
func front(t *testing.T, s *s3test.Server,
	f func(http.ResponseWriter, *http.Request, http.Handler)) string {
	t.Helper()
	u, err := url.Parse(s.Address())
	require.NoError(t, err)
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(u)
		r.Out.Host = r.In.Host
	}}
	server := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { f(w, r, pass) }))
	t.Cleanup(server.Close)
	return server.URL
}

func at(address, prefix string) string {
	return "s3://" + s3test.Bucket + "/" + prefix + "?endpoint=" + url.QueryEscape(address)
}

func TestABucketThatFailsIsAwayAndSaysWhy(t *testing.T) {
	server := s3test.Start(t)
	good := bucket(t, server.URL(s3test.Bucket, ""), time.Minute, "m")
	require.NoError(t, good.Put(t.Context(), "s1/1.1.jpeg", []byte("whole")))
	silent := front(t, server, func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body) // else it is not noticed that who asked has gone
		<-r.Context().Done()
	})
	halves := front(t, server, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	})
	noS3 := front(t, server, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		_, _ = io.WriteString(w, "<html>a page")
	})
	elsewhere := front(t, server, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, server.Address(), http.StatusTemporaryRedirect)
	})
	dead := s3test.Start(t)
	deadURL := dead.URL(s3test.Bucket, "")
	dead.Kill(t)
	const brief = time.Second
	for name, c := range map[string]struct {
		at   string
		keys string
		says string
		hint string
	}{
		"no server":    {deadURL, "taploop", "refused", "is up"},
		"silence":      {at(silent, ""), "taploop", "deadline", "is up"},
		"half":         {at(halves, ""), "taploop", "unexpected EOF", "is up"},
		"no bucket":    {server.URL("other", ""), "taploop", "404 NoSuchBucket", "the bucket other"},
		"wrong key":    {server.URL(s3test.Bucket, ""), "nobody", "403", "AWS_ACCESS_KEY_ID"},
		"other region": {at(elsewhere, ""), "taploop", "307", "region"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", c.keys)
			b := bucket(t, c.at, brief, "m")
			failed := make([]error, 3)
			var asking sync.WaitGroup
			asking.Go(func() { _, failed[0] = b.Get(t.Context(), "s1/1.1.jpeg") })
			asking.Go(func() { failed[1] = b.Put(t.Context(), "s1/2.1.jpeg", []byte("x")) })
			asking.Go(func() { failed[2] = b.Probe(t.Context()) })
			asking.Wait()
			for _, err := range failed {
				require.ErrorIs(t, err, pictures.ErrAway)
				require.ErrorContains(t, err, c.says)
				require.Contains(t, hint.Of(err), c.hint)
				require.NotErrorIs(t, err, fs.ErrNotExist)
			}
		})
	}
	b := bucket(t, at(noS3, ""), brief, "m")
	for _, err := range b.List(t.Context(), "") {
		require.ErrorIs(t, err, pictures.ErrAway, "what is no list is not taken for an empty one")
	}
	require.Equal(t, map[string]int64{"s1/1.1.jpeg": 5}, listed(t, good, ""))
}

func TestAWrongSecretIsRefused(t *testing.T) {
	server := s3test.Start(t)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	err := bucket(t, server.URL(s3test.Bucket, ""), time.Minute, "m").Probe(t.Context())
	require.ErrorContains(t, err, "SignatureDoesNotMatch")
	require.NotContains(t, err.Error()+hint.Of(err), "wrong")
}

func TestABucketThatWasAwayIsTriedAgain(t *testing.T) {
	server := s3test.Start(t)
	var n atomic.Int32
	busy := front(t, server, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if n.Add(1) < 3 {
			http.Error(w, "slow down", http.StatusServiceUnavailable)
			return
		}
		pass.ServeHTTP(w, r)
	})
	b := bucket(t, at(busy, ""), time.Minute, "m")
	require.NoError(t, b.Put(t.Context(), "s1/1.1.jpeg", []byte("x")))
	require.EqualValues(t, 3, n.Load())

	server.Kill(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, b.Put(ctx, "s1/1.1.jpeg", nil), context.Canceled, "not the bucket's fault")
	server.Up(t)
	require.NoError(t, b.Put(t.Context(), "s1/1.1.jpeg", nil))
}

func TestTheURLOfABucket(t *testing.T) {
	for _, env := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",
		"AWS_ENDPOINT_URL_S3"} {
		t.Setenv(env, "")
	}
	for at, says := range map[string]string{
		"s3://":                               "no store of pictures",
		"gs://bucket":                         `the kind "gs"`,
		"s3://key:secret@bucket":              "keys do not belong in it",
		"s3://b?endpont=https://x":            `nothing called "endpont"`,
		"s3://b?endpoint=http://minio:9000":   "loopback",
		"s3://b?endpoint=minio:9000":          "no https://HOST:PORT",
		"s3://b?path_style=perhaps":           "true or false",
		"s3://b/%zz:secret@":                  "no URL",
		"s3://b?endpoint=https://me:hunter@x": "no https://HOST:PORT",
	} {
		_, err := pictures.NewBucket(at, time.Second, nil)
		require.ErrorContains(t, err, says, at)
		require.ErrorContains(t, err, "store.frames", at)
		require.NotContains(t, err.Error(), "secret@")
		require.Contains(t, hint.Of(err), "s3://BUCKET/PREFIX", at)
	}
	for at, host := range map[string]string{
		"s3://b":                                          "b.s3.us-east-1.amazonaws.com",
		"s3://b?region=eu-west-3":                         "b.s3.eu-west-3.amazonaws.com",
		"s3://b?path_style=true":                          "s3.us-east-1.amazonaws.com/b",
		"s3://b?endpoint=https://x:9000":                  "x:9000/b",
		"s3://b?endpoint=https://x/deep":                  "x/deep/b",
		"s3://b?endpoint=https://x:9000&path_style=false": "b.x:9000",
	} {
		b := bucket(t, at, time.Second, "m")
		require.Equal(t, "https://"+host+"/", b.Address(), at)
	}
	t.Setenv("AWS_ENDPOINT_URL_S3", "https://env")
	t.Setenv("AWS_REGION", "r")
	require.Equal(t, "https://env/b/", bucket(t, "s3://b", time.Second, "m").Address())
}

func TestKeysOfAFile(t *testing.T) {
	server := s3test.Start(t)
	file := filepath.Join(t.TempDir(), "credentials")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	b := bucket(t, server.URL(s3test.Bucket, ""), time.Second, "m")
	err := b.Probe(t.Context())
	require.ErrorContains(t, err, "there are no keys")
	require.Contains(t, hint.Of(err), "AWS_ACCESS_KEY_ID")
	require.NoError(t, os.WriteFile(file, []byte("[default]\naws_access_key_id = x\n"+
		"aws_secret_access_key=y\n\n[farm]\naws_access_key_id=taploop\n"+
		"aws_secret_access_key = of-tests\n[other]\naws_access_key_id = z\n"), 0o600))
	require.ErrorContains(t, b.Probe(t.Context()), "403")
	t.Setenv("AWS_PROFILE", "farm")
	require.NoError(t, b.Probe(t.Context()))
}
