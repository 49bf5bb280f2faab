package model

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/taploop/taploop/internal/hint"
)

// Recorder is an http.RoundTripper that writes every exchange to a cassette, for a Replayer to
// answer from. Any number of goroutines may use it. Errors of the network are not recorded,
// refusals of the endpoint are.
type Recorder struct {
	path string
	next http.RoundTripper
	mu   sync.Mutex
	file *os.File // nil after Close, guarded by mu
	torn error    // why the last line is incomplete and no other may follow, guarded by mu
}

// NewRecorder creates the cassette, readable by its owner only, or appends to an existing one to
// continue a session. A new one keeps the settings, see CassetteSettings. It refuses a file that is
// not a cassette. A nil next means a new transport.
func NewRecorder(path string, settings map[string]string, next http.RoundTripper) (
	*Recorder, error) {
	if next == nil {
		next = newTransport()
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	if err := readyToAppend(f, settings); err != nil {
		_ = f.Close()
		return nil, hint.Add(fmt.Errorf("recording to %s: %w", path, err),
			"choose another file, or delete this one to record anew")
	}
	return &Recorder{path: path, next: next, file: f}, nil
}

// readyToAppend writes the header into an empty file, and cuts a line that a crash left unfinished
// off another.
func readyToAppend(f *os.File, settings map[string]string) error {
	if info, err := f.Stat(); err != nil {
		return err
	} else if info.Size() == 0 {
		return appendLine(f, marshal(cassetteHeader{cassetteFormat, cassetteVersion, settings}))
	}
	_, valid, err := readCassette(f)
	if err != nil {
		return err
	}
	return f.Truncate(valid)
}

func appendLine(f *os.File, line []byte) error {
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.Sync()
}

// RoundTrip passes the request on and returns once the exchange is on disk. An exchange that cannot
// be written fails the call: a cassette with a hole would replay something that never happened.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	return r.roundTrip(req, nil)
}

func (r *Recorder) roundTrip(req *http.Request, seen *Sight) (*http.Response, error) {
	body, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req = req.Clone(req.Context()) // a RoundTripper must not change its request
		req.Body = bodyOf(body)
	}
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	reply, err := readBounded(resp.Body)
	if err != nil {
		return nil, err
	}
	x := newExchange(req, body, resp, reply)
	x.Sight = seen
	if err := r.write(x); err != nil {
		return nil, permanent{hint.Add(fmt.Errorf("recording to %s: %w", r.path, err),
			"free some space on the disk, or record to another file")}
	}
	resp.Body = bodyOf(reply)
	return resp, nil
}

func takeBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	return b, nil
}

func (r *Recorder) write(x exchange) error {
	line := marshal(x)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.file == nil:
		return errors.New("the recorder is closed")
	case r.torn != nil:
		return r.torn
	case len(line) >= maxLine:
		return fmt.Errorf("an exchange of %d bytes is too long for a line", len(line))
	}
	r.torn = appendLine(r.file, line)
	return r.torn
}

// Close closes the cassette. It may be called more than once.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	closeIdle(r.next)
	return f.Close()
}
