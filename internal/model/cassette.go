package model

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
)

// A cassette is a file of JSON lines: a header, then one exchange a line, in the order in which the
// replies came. Pictures of requests are kept as hash and size, headers as the few that replay
// needs, keys not at all. The header has the settings that shaped the requests. What was seen is
// kept in small since version 2, and a hash of the task since version 3.

const (
	cassetteFormat  = "taploop model cassette"
	cassetteVersion = 3
	maxLine         = 2 * maxReply
)

// TemplateSetting is the key of a hash of the template of prompts, which is "" without one.
const TemplateSetting = "model.prompt_template"

type cassetteHeader struct {
	Format   string            `json:"format"`
	Version  int               `json:"version"`
	Settings map[string]string `json:"settings,omitempty"`
}

type exchange struct {
	Request  recordedRequest  `json:"request"`
	Response recordedResponse `json:"response"`
	Sight    *Sight           `json:"sight,omitempty"`
}

type recordedRequest struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// recordedResponse has its body in one of three forms, the most readable one that keeps it.
type recordedResponse struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	JSON   json.RawMessage   `json:"json,omitempty"`
	Text   string            `json:"text,omitempty"`
	Base64 []byte            `json:"base64,omitempty"`
}

// keptHeaders are the response headers that the client reads. Others may hold cookies, accounts and
// addresses.
var keptHeaders = []string{"Content-Type", "Retry-After"}

// newExchange returns the written form of an exchange, without the key and without pixels.
func newExchange(req *http.Request, body []byte, resp *http.Response, reply []byte) exchange {
	scrub := scrubberFor(req.Header)
	x := exchange{
		Request: recordedRequest{
			Method: req.Method,
			Path:   operation(req.URL.Path),
			Body:   withoutPixels(body, scrub),
		},
		Response: recordedResponse{Status: resp.StatusCode},
	}
	for _, name := range keptHeaders {
		if v := resp.Header.Get(name); v != "" {
			if x.Response.Header == nil {
				x.Response.Header = map[string]string{}
			}
			x.Response.Header[name] = scrub.Text(v)
		}
	}
	x.Response.setBody(reply, scrub)
	return x
}

func (r *recordedResponse) setBody(b []byte, scrub text.Mask) {
	if json.Valid(b) && utf8.Valid(b) {
		// A key of digits may stand where JSON wants a number. Without it the body is not JSON, and
		// is kept as text.
		if b = scrub.Bytes(b); json.Valid(b) {
			r.JSON = b
			return
		}
	}
	if utf8.Valid(b) {
		r.Text = scrub.Text(string(b))
		return
	}
	r.Base64 = []byte(scrub.Text(string(b)))
}

func (r *recordedResponse) body() []byte {
	switch {
	case r.JSON != nil:
		return r.JSON
	case r.Base64 != nil:
		return r.Base64
	}
	return []byte(r.Text)
}

// operation returns the path without the endpoint's prefix, so that a cassette of one endpoint
// plays under another's URL.
func operation(path string) string {
	for _, op := range []string{chatPath, modelsPath} {
		if strings.HasSuffix(path, op) {
			return op
		}
	}
	return path
}

// withoutPixels replaces each picture of a request body by its hash and size. A body that is not
// JSON becomes a JSON string.
func withoutPixels(body []byte, scrub text.Mask) json.RawMessage {
	if len(body) == 0 {
		return nil
	}
	v, err := text.FromJSON(body)
	if err == nil {
		if b := scrub.Bytes(marshal(text.InJSON(v, hashed))); json.Valid(b) {
			return b
		}
	}
	return marshal(scrub.Text(hashed(strings.ToValidUTF8(string(body), "\uFFFD"))))
}

// hashed replaces a data URL by its hash and size, and returns any other text unchanged.
func hashed(s string) string {
	head, data, ok := strings.Cut(s, ";base64,")
	if !ok || !strings.HasPrefix(head, "data:") || strings.ContainsAny(head, " \n") {
		return s
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		raw = []byte(data)
	}
	return fmt.Sprintf("%s;sha256,%x;bytes=%d", head, sha256.Sum256(raw), len(raw))
}

// marshal is for values that came from JSON. It leaves <, > and & readable.
func marshal(v any) json.RawMessage {
	raw, _ := text.Marshal(v)
	return raw
}

// readCassette reads exchanges. It skips a last line without a line break, which a crash leaves
// behind. valid is the length of the text before it.
func readCassette(r io.Reader) (all []exchange, valid int64, err error) {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && n == 1:
			return nil, 0, errNoCassette
		case errors.Is(err, io.EOF):
			return all, valid, nil
		case err == nil && n == 1:
			if _, err := readHeader(line); err != nil {
				return nil, 0, err
			}
		case err == nil:
			var x exchange
			x, err = readExchange(line)
			all = append(all, x)
		}
		if err != nil {
			return nil, valid, fmt.Errorf("line %d: %w", n, err)
		}
		valid += int64(len(line))
	}
}

// CassetteSettings returns the settings by which a cassette was recorded, by the keys of the
// configuration. They come from a file that anyone may have written.
func CassetteSettings(path string) (map[string]string, error) {
	f, err := openCassette(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, maxLine)).ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return readHeader(line)
}

func openCassette(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // reading from a pipe might never end
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

var errNoCassette = errors.New("this is not a cassette")

// IsCassette reports whether a file with this content is a cassette, of whatever version.
func IsCassette(b []byte) bool {
	first, _, _ := bytes.Cut(b, []byte("\n"))
	_, err := readHeader(first)
	return err != errNoCassette
}

func readHeader(line []byte) (settings map[string]string, err error) {
	var h cassetteHeader
	if json.Unmarshal(line, &h) != nil || h.Format != cassetteFormat {
		return nil, errNoCassette
	}
	if h.Version < 1 || h.Version > cassetteVersion {
		return nil, fmt.Errorf("a cassette of version %d (this program reads up to %d)", h.Version,
			cassetteVersion)
	}
	return h.Settings, nil
}

func readExchange(line []byte) (exchange, error) {
	var x exchange
	if len(bytes.TrimSpace(line)) == 0 {
		return x, errors.New("an empty line")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return x, err
	}
	if x.Request.Method == "" || x.Request.Path == "" {
		return x, errors.New("a request without method or path")
	}
	if x.Response.Status < 100 || x.Response.Status > 999 {
		return x, fmt.Errorf("status %d", x.Response.Status)
	}
	return x, nil
}
