package pictures

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/taploop/taploop/internal/hint"
)

// Scheme begins the URL of a bucket: s3://BUCKET/PREFIX?endpoint=URL&region=REGION&path_style=true,
// all of which but the bucket can be left out.
const Scheme = "s3://"

// ErrURL says that the URL of a bucket is none.
var ErrURL = errors.New("reading store.frames")

// where is a bucket's place.
type where struct {
	url            url.URL // of the bucket, with a slash at its end
	bucket, prefix string
	region         string
}

// parse reads the URL of a bucket.
func parse(at string) (w where, err error) {
	defer func() {
		if err != nil {
			err = hint.Add(fmt.Errorf("%w: %w", ErrURL, err), "write it as files:, or as "+
				"s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION; prefix, endpoint "+
				"(AWS) and region (AWS_REGION) can be left out")
		}
	}()
	u, err := url.Parse(at)
	if err != nil {
		return w, errors.New("it is no URL") // the error has all of it
	}
	query, err := url.ParseQuery(u.RawQuery)
	switch {
	case err != nil:
		return w, err
	case u.Scheme+"://" != Scheme || u.Host == "":
		return w, fmt.Errorf("there is no store of pictures of the kind %q", u.Scheme)
	case u.User != nil:
		return w, errors.New("keys do not belong in it: set AWS_ACCESS_KEY_ID and " +
			"AWS_SECRET_ACCESS_KEY")
	}
	option := func(name string, others ...string) string {
		v := query.Get(name)
		query.Del(name)
		return cmp.Or(append([]string{v}, others...)...)
	}
	w.bucket, w.prefix = u.Host, strings.Trim(u.Path, "/")
	if w.prefix != "" {
		w.prefix += "/"
	}
	w.region = option("region", os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"),
		"us-east-1")
	endpoint := option("endpoint", os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"))
	style := option("path_style", strconv.FormatBool(endpoint != ""))
	for unknown := range query {
		return w, fmt.Errorf("it has nothing called %q", unknown)
	}
	inPath, err := strconv.ParseBool(style)
	if err != nil {
		return w, errors.New("path_style is true or false")
	}
	return w, w.place(cmp.Or(endpoint, "https://s3."+w.region+".amazonaws.com"), inPath)
}

// place sets the URL of the bucket: below the endpoint, or at a host of its name.
func (w *where) place(endpoint string, inPath bool) error {
	u, err := url.Parse(endpoint)
	ok := err == nil && u.Host != "" && u.User == nil
	ok = ok && (u.Scheme == "https" || u.Scheme == "http" &&
		(u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()))
	if !ok {
		return errors.New("the endpoint is no https://HOST:PORT; http:// is for loopback only")
	}
	w.url = url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/") + "/"}
	if inPath {
		w.url.Path += w.bucket + "/"
	} else {
		w.url.Host = w.bucket + "." + u.Host
	}
	return nil
}

// keys are those of the environment, else of the file of shared credentials.
func keys() (aws.Credentials, error) {
	c := aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    os.Getenv("AWS_SESSION_TOKEN")}
	if c.HasKeys() {
		return c, nil
	}
	home, _ := os.UserHomeDir() // without one there is no such file
	b, err := os.ReadFile(cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"),
		filepath.Join(home, ".aws", "credentials")))
	profile := "[" + cmp.Or(os.Getenv("AWS_PROFILE"), "default") + "]"
	for in, lines := "", bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			in = line
		}
		name, value, _ := strings.Cut(line, "=")
		into := map[string]*string{"aws_access_key_id": &c.AccessKeyID,
			"aws_secret_access_key": &c.SecretAccessKey,
			"aws_session_token":     &c.SessionToken}[strings.TrimSpace(name)]
		if in == profile && into != nil {
			*into = strings.TrimSpace(value)
		}
	}
	if c.HasKeys() {
		return c, nil
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return c, hint.Add(cmp.Or(err, errors.New("there are no keys")), "set AWS_ACCESS_KEY_ID and "+
		"AWS_SECRET_ACCESS_KEY, or put them into ~/.aws/credentials")
}
