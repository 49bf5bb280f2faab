package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// check looks at the data folder and its disk.
func (d *Data) check(ctx context.Context, l *ledger) {
	free, unknown := d.Free(existing(d.Dir))
	size := "?"
	if unknown == nil {
		size = megabytes(int64(free))
	}
	id, why := "data.ready", ""
	open := d.Open
	if d.Fresh {
		open = d.writable
	}
	switch err := open(ctx); {
	// as in /proc, where nothing is free, either, and behind a link to nothing or to itself
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ELOOP):
		id, why = "data.nowhere", whyOf(err)
	case exposed(d.Dir):
		id = "data.exposed"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, store.ErrDiskFull),
		unknown == nil && (err == nil && free < oneStep || err != nil && free < fullDisk):
		id = "data.full"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		id, why = "data.readonly", whyOf(err)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		id, why = "data.file", whyOf(err)
	case errors.Is(err, store.ErrLocked):
		id, why = "data.locked", whyOf(err)
	case errors.Is(err, store.ErrNewerSchema):
		id, why = "data.newer", whyOf(err)
	case errors.Is(err, store.ErrPictures), errors.Is(err, store.ErrFrames):
		id, why = "data.frames", whyOf(err)
	case err != nil && d.Shared:
		id, why = "data.database", whyOf(err)
	case err != nil:
		id, why = "data.broken", whyOf(err)
	case unknown == nil && free < leastFree:
		id = "data.scarce"
	}
	l.add(id, "data", "folder", text.Line(d.Dir), "free", size, "why", why)
}

// writable reports why nothing could be stored where nothing is yet.
func (d *Data) writable(context.Context) error {
	f, err := os.CreateTemp(existing(d.Dir), ".taploop-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// exposed reports whether everybody may write to the folder, which the store refuses then.
func exposed(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o002 != 0 && runtime.GOOS != "windows"
}

const (
	oneStep  = 1 << 20  // free bytes that are too few for a step and its picture
	fullDisk = 20 << 20 // free bytes that are too few where the store takes no write, either
)

// existing is the folder, or the nearest one above it that is there, if only as a link.
func existing(dir string) string {
	for {
		if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// watch compares this machine's clock with others.
type watch struct {
	now    func() time.Time
	behind atomic.Pointer[time.Duration] // the endpoint's clock, nil if unknown
	phones []phoneClock                  // that differ from this machine
}

type phoneClock struct {
	serial string
	ahead  time.Duration
}

// ask takes the time of an endpoint of models, whatever it answers.
func (w *watch) ask(ctx context.Context, url string) {
	resp, err := answer(ctx, url, "")
	if err != nil {
		return
	}
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		behind := at.Sub(w.now())
		w.behind.Store(&behind)
	}
}

// answerShare is of the time that an address has to answer.
const answerShare = 0.3

// answer is the head of what an address answers.
func answer(ctx context.Context, url, authorization string) (*http.Response, error) {
	ctx, cancel := part(ctx, answerShare)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return nil, err
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		err = resp.Body.Close()
	}
	return resp, err
}

// check says whether the clock is right. A phone's clock is judged only by one that is.
func (w *watch) check(l *ledger) {
	behind := w.behind.Load()
	switch {
	case behind != nil && behind.Abs() > mostAhead:
		l.add("clock.wrong", "clock", "off", roughly(*behind))
		return
	case len(w.phones) == 0:
		l.add("clock.ready", "clock")
	}
	for _, p := range w.phones {
		l.add("phone.clock", "phone "+p.serial, "phone", p.serial, "off", roughly(p.ahead))
	}
}

// roughly is how far off a clock is: in days where hours do not matter.
func roughly(off time.Duration) string {
	if days := off.Abs() / (24 * time.Hour); days > 1 {
		return fmt.Sprintf("%d d", days)
	}
	return off.Abs().Round(time.Second).String()
}

// check looks at the address of the server, and at its tokens.
func (h *HTTP) check(l *ledger) {
	h.address(l)
	if h.TokenErr != nil {
		l.add("http.tokens", "tokens", "why", whyOf(h.TokenErr))
	}
}

func (h *HTTP) address(l *ledger) {
	_, port, _ := net.SplitHostPort(h.Addr)
	serving := slices.IndexFunc(h.Servers, func(url string) bool {
		return strings.HasSuffix(strings.TrimSuffix(url, "/"), ":"+port)
	})
	if serving >= 0 {
		l.add("http.serving", "http", "address", text.Line(h.Servers[serving]))
		return
	}
	ln, err := net.Listen("tcp", h.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		l.add("http.taken", "http", "address", h.Addr, "holder", cmp.Or(holderOf(h.Addr), "?"))
		return
	case err != nil:
		l.add("http.refused", "http", "address", h.Addr, "why", whyOf(err))
		return
	}
	_ = ln.Close()
	if !h.Open && h.Tokens == 0 {
		l.add("http.open", "http", "address", h.Addr)
		return
	}
	l.add("http.ready", "http", "address", h.Addr, "tokens", strconv.Itoa(h.Tokens))
}

// Data is the data folder.
type Data struct {
	Dir    string
	Fresh  bool                             // nothing is stored yet: it is not opened
	Shared bool                             // the database is elsewhere, as store.url says
	Open   func(context.Context) error      // has the store take a write
	Free   func(dir string) (uint64, error) // how much fits on the disk
}

// HTTP is the server's address.
type HTTP struct {
	Addr     string
	Open     bool     // no one else reaches the address
	Servers  []string // addresses of servers that use this data folder
	Tokens   int
	TokenErr error // why the tokens cannot be read, or nil
}
