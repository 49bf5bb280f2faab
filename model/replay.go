package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/hint"
)

// Replayer is an http.RoundTripper that answers from a cassette, offline. Any number of goroutines
// may use it.
//
// A request is answered by the first recorded one that says the same and has not been played yet.
// The same means: the operation, the model's name, and the roles and texts of the messages, with as
// many pictures in the same places. What the pictures show is left out, because a screen with a
// clock is another one a minute later; the order among equal requests stands in for it. Temperature
// and the other parameters are left out too: they cannot change a reply that is already there.
//
// Refusals are played like replies, but are followed at once by what came next: waits that the
// endpoint asked for are over.
type Replayer struct {
	path  string
	mu    sync.Mutex
	tapes map[string][]*tape // by what the request says, in order; guarded by mu
	all   []*tape
}

type tape struct {
	exchange
	says   string
	played bool
}

// NewReplayer reads a cassette wholly.
func NewReplayer(path string) (*Replayer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("replaying: %w", err), "record it first, with --record")
	}
	defer f.Close()
	all, _, err := readCassette(f)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("replaying %s: %w", path, err),
			"record it anew, with --record")
	}
	r := &Replayer{path: path, tapes: map[string][]*tape{}}
	for _, x := range all {
		t := &tape{exchange: x, says: saying(x.Request)}
		r.all = append(r.all, t)
		r.tapes[t.says] = append(r.tapes[t.says], t)
	}
	return r, nil
}

// RoundTrip answers from the cassette or says what is missing there.
func (r *Replayer) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	asked := recordedRequest{
		Method: req.Method,
		Path:   operation(req.URL.Path),
		Body:   withoutPixels(body, scrubberFor(req.Header)),
	}
	says := saying(asked)
	t := r.next(says)
	if t == nil {
		return nil, permanent{r.miss(says)}
	}
	return t.Response.http(req), nil
}

func (r *Replayer) next(says string) *tape {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tapes[says] {
		if !t.played {
			t.played = true
			return t
		}
	}
	return nil
}

func (r *recordedResponse) http(req *http.Request) *http.Response {
	body := r.body()
	h := http.Header{}
	for k, v := range r.Header {
		h.Set(k, v)
	}
	h.Set("Retry-After", "0")
	return &http.Response{
		Status: fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)), StatusCode: r.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: bodyOf(body), ContentLength: int64(len(body)), Request: req,
	}
}

// saying is what a request is known by.
func saying(r recordedRequest) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.Path)
	var body struct {
		Model    string `json:"model"`
		Messages []struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			ToolCalls json.RawMessage `json:"tool_calls"`
		} `json:"messages"`
	}
	if json.Unmarshal(r.Body, &body) != nil {
		b.Write(r.Body)
		return b.String()
	}
	fmt.Fprintf(&b, "model: %s\n", body.Model)
	for _, m := range body.Messages {
		fmt.Fprintf(&b, "%s: %s%s\n", m.Role, contentSays(m.Content), m.ToolCalls)
	}
	return b.String()
}

func contentSays(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	var out []string
	for _, p := range parts {
		if p.Type == "text" {
			out = append(out, p.Text)
		} else {
			out = append(out, "("+p.Type+")")
		}
	}
	return strings.Join(out, "\n")
}

// miss says why nothing on the cassette answers: it is used up, or how the most similar request
// differs.
func (r *Replayer) miss(says string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	why := "the cassette is empty"
	if n := len(r.tapes[says]); n > 0 {
		why = fmt.Sprintf("this request was recorded %d times and is now made once more", n)
	} else if near, at := r.nearest(says); near != nil {
		why = fmt.Sprintf("no such request was recorded; the nearest differs where it has %q "+
			"and this one %q", around(near.says, at), around(says, at))
	}
	return hint.Add(fmt.Errorf("replaying %s: %s", r.path, why),
		fmt.Sprintf("rerecord: delete %s and run the same with --record against a model", r.path))
}

// nearest is the recorded request that goes along with says longest, preferring those that were not
// played, and where they part.
func (r *Replayer) nearest(says string) (*tape, int) {
	var best *tape
	most := -1
	for _, t := range r.all {
		n := common(t.says, says)
		if n > most || n == most && best.played && !t.played {
			best, most = t, n
		}
	}
	return best, most
}

func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// around is s near i, cut between runes.
func around(s string, i int) string {
	from, to := max(i-30, 0), min(i+70, len(s))
	return strings.ToValidUTF8(s[from:to], "")
}
