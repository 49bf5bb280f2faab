package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/hint"
)

// Replayer is an http.RoundTripper that answers from a cassette, offline. Any number of goroutines
// may use it.
//
// A request is answered by the first recorded one that says the same and has not been played yet.
// The operation, the model's name and the roles and texts of the messages have to be the same, with
// as many pictures in the same places. Equal requests are answered in their order. Temperature and
// other parameters are ignored, because they cannot change a recorded reply. If the cassette has a
// Sight, it is compared with the present one. A request without an answer, or on another screen, is
// a *Divergence.
//
// Refusals are played like replies, without the waits that the endpoint asked for.
type Replayer struct {
	path   string
	opts   ReplayOptions
	unseen bool // the cassette is of a version that kept nothing of what was seen
	other  bool // it was recorded with another template of the prompt
	mu     sync.Mutex
	tapes  map[string][]*tape // by the text of the request, in order, guarded by mu
	all    []*tape
	played []exchange // so far, in order, guarded by mu
	live   *Recorder  // answers after the replay has diverged, guarded by mu
}

// ReplayOptions say what a replay checks, and what it does on another screen.
type ReplayOptions struct {
	// Compare says in words how the present screen differs from the recorded one, or "". nil
	// compares nothing.
	Compare func(recorded, now Sight) (string, error)
	// OrModel is the file of a new cassette: where the replay parts from the old one, the model is
	// asked from there on, and both parts are written there. "" stops instead.
	OrModel  string
	Settings map[string]string // of the new cassette
	// Transport is used for the model then. nil means a new one.
	Transport http.RoundTripper
	Parted    func(why error) // called when that happens, may be nil
}

type tape struct {
	exchange
	says   string
	played bool
}

// NewReplayer reads a cassette wholly. opts may be nil.
func NewReplayer(path string, opts *ReplayOptions) (*Replayer, error) {
	f, err := openCassette(path)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("replaying: %w", err), "record it first, with --record")
	}
	defer f.Close()
	all, _, err := readCassette(f)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("replaying %s: %w", path, err),
			"record it anew, with --record")
	}
	r := &Replayer{path: path, opts: *cmp.Or(opts, &ReplayOptions{}), unseen: true,
		tapes: map[string][]*tape{}}
	if r.opts.Transport == nil {
		r.opts.Transport = newTransport()
	}
	kept, _ := CassetteSettings(path) // it was read before
	was, known := kept[TemplateSetting]
	r.other = known && was != r.opts.Settings[TemplateSetting]
	for _, x := range all {
		t := &tape{exchange: x, says: saying(x.Request)}
		r.all = append(r.all, t)
		r.tapes[t.says] = append(r.tapes[t.says], t)
		r.unseen = r.unseen && x.Sight == nil
	}
	return r, nil
}

// Unseen reports whether nothing of what was seen is on the cassette, as none was kept at first: a
// replay of it checks no screen.
func (r *Replayer) Unseen() bool { return r.unseen && len(r.all) > 0 }

// RoundTrip answers from the cassette, or returns an error that says what it lacks.
func (r *Replayer) RoundTrip(req *http.Request) (*http.Response, error) {
	return r.roundTrip(req, nil)
}

func (r *Replayer) roundTrip(req *http.Request, seen *Sight) (*http.Response, error) {
	body, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	t, live, err := r.next(recordedRequest{
		Method: req.Method,
		Path:   operation(req.URL.Path),
		Body:   withoutPixels(body, scrubberFor(req.Header)),
	}, seen)
	switch {
	case err != nil:
		return nil, permanent{err}
	case t != nil:
		return t.Response.http(req), nil
	}
	req = req.Clone(req.Context())
	req.Body = bodyOf(body)
	if live == nil {
		return r.opts.Transport.RoundTrip(req)
	}
	return live.roundTrip(req, seen)
}

// next returns the recorded exchange that answers, or the recorder through which the model is
// asked. It returns neither for a request that belongs to no step, such as a caption that was off
// during the recording. If there is a model, it is asked for that alone, and the replay continues.
func (r *Replayer) next(asked recordedRequest, seen *Sight) (*tape, *Recorder, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live != nil {
		return nil, r.live, nil
	}
	says := saying(asked)
	at := slices.IndexFunc(r.tapes[says], func(t *tape) bool { return !t.played })
	if at < 0 && seen == nil && r.opts.OrModel != "" {
		return nil, nil, nil
	}
	if at < 0 {
		return r.part(r.missed(says, seen))
	}
	t := r.tapes[says][at]
	why, err := r.compare(t.Sight, seen)
	if err != nil {
		return nil, nil, err
	}
	if why != "" {
		return r.part(&Divergence{path: r.path, why: why, was: t.Sight, now: seen})
	}
	t.played = true
	r.played = append(r.played, t.exchange)
	return t, nil, nil
}

func (r *Replayer) compare(was, now *Sight) (string, error) {
	switch {
	case now == nil || r.opts.Compare == nil || r.unseen:
		return "", nil
	case was == nil:
		return "this reply was recorded without the screen that it was given for", nil
	}
	return r.opts.Compare(*was, *now)
}

// part ends the replay, or has the model asked from now on.
func (r *Replayer) part(d *Divergence) (*tape, *Recorder, error) {
	if r.opts.OrModel == "" {
		d.keep()
		how := "record anew, with --record and another file, against a model"
		if d.missed {
			how = "run what was recorded, with the same task, settings and answers, or " + how
		}
		if d.was != nil {
			how = "bring the phone to the recorded state, mask what changes by itself " +
				"(--replay-mask), go on with the model and record anew (--replay-or-model), " +
				"or " + how
		}
		return nil, nil, hint.Add(d, how)
	}
	rec, err := NewRecorder(r.opts.OrModel, r.opts.Settings, r.opts.Transport)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range r.played {
		if err := rec.write(x); err != nil {
			return nil, nil, errors.Join(err, rec.Close())
		}
	}
	if r.live = rec; r.opts.Parted != nil {
		r.opts.Parted(d)
	}
	return nil, rec, nil
}

// CloseIdleConnections lets go of connections to the model.
func (r *Replayer) CloseIdleConnections() { closeIdle(r.opts.Transport) }

// Close closes the new cassette, if there is one.
func (r *Replayer) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live == nil {
		return nil
	}
	return r.live.Close()
}

// playedHeader marks a reply of a cassette, for which no token is spent.
const playedHeader = "Taploop-Played"

func (r *recordedResponse) http(req *http.Request) *http.Response {
	body := r.body()
	h := http.Header{}
	for k, v := range r.Header {
		h.Set(k, v)
	}
	h.Set("Retry-After", "0")
	h.Set(playedHeader, "yes")
	return &http.Response{
		Status: fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)), StatusCode: r.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: bodyOf(body), ContentLength: int64(len(body)), Request: req,
	}
}

// saying identifies a request: by what it asks, of whichever model.
func saying(r recordedRequest) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.Path)
	var body struct {
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
	for _, m := range body.Messages {
		says := today.ReplaceAllString(contentSays(m.Content), "$1")
		says = named.ReplaceAllString(says, "$1 the phone: ")
		fmt.Fprintf(&b, "%s: %s%s\n", m.Role, says, m.ToolCalls)
	}
	return b.String()
}

// today is what a prompt says of the day, which is another one when it is replayed.
var today = regexp.MustCompile(`(Today is |今天是 )\d{4}-\d{2}-\d{2}(?:, \pL+|，星期.)`)

// named is how notes told of a failed action at first, with the phone's name.
var named = regexp.MustCompile(`(tapping|pressing|(?:swiping|dragging|typing|clearing the field|` +
	`pressing \w+|pressing a key|launching ".*"|listing the elements) on) \S+: `)

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

// missed is the divergence of a request that nothing on the cassette answers. Its text tells of the
// screen, which may be the reason, or else that the cassette does not fit.
func (r *Replayer) missed(says string, seen *Sight) *Divergence {
	d := &Divergence{path: r.path, missed: true, now: seen}
	near, at := r.nearest(says)
	switch {
	case near == nil:
		d.why = "the cassette is empty"
		return d
	case !slices.ContainsFunc(r.all, r.isAhead):
		d.why = "the cassette ends early"
		return d
	case r.other:
		d.why = misfit + "it was recorded with another prompt template (" + TemplateSetting + ")"
		return d
	case seen != nil && near.Sight != nil && near.Sight.Task != "" && near.Sight.Task != seen.Task:
		d.why = misfit + "the task, or what is judged, is another one"
		return d
	}
	why, err := r.compare(near.Sight, seen)
	switch n := len(r.tapes[says]); {
	case near.Sight != nil && err == nil && why != "":
		d.was, d.why = near.Sight, why
	case n > 0:
		d.why = fmt.Sprintf("%sthis request was recorded %d times and is made once more", misfit, n)
	default:
		d.why = fmt.Sprintf("%sit has %q where the model is now told %q", misfit,
			around(near.says, at), around(says, at))
	}
	return d
}

const misfit = "the cassette does not fit: "

// unfit is a message about a cassette that is not one of the run, whatever is on the screen.
var unfit = regexp.MustCompile(`: the cassette (is empty|ends early|does not fit: .*)$`)

// Unfit reports whether a run has ended with this message because its cassette holds less than it,
// or something else.
func Unfit(message string) bool { return unfit.MatchString(message) }

// isAhead reports whether a step was not played yet. What else is recorded may never be asked.
func (r *Replayer) isAhead(t *tape) bool { return !t.played && (r.unseen || t.Sight != nil) }

// nearest returns the recorded request that agrees with says for the longest part, preferably one
// that was not played, and where they differ.
func (r *Replayer) nearest(says string) (best *tape, most int) {
	most = -1
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
	from, to := max(i-20, 0), min(i+40, len(s))
	return strings.ToValidUTF8(s[from:to], "")
}
