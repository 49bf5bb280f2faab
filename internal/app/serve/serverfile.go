package serve

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// serverFile names a server's address in the data folder while it listens. The process keeps the
// file locked, so a file that can be locked was left behind by a server that was killed.
type serverFile struct {
	path string
	lock *flock.Flock
}

// ServerEntry is the content of a server file.
type ServerEntry struct {
	URL     string    `json:"url"` // where people reach the server
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
	path    string
}

const (
	serversDir = "servers"
	serverExt  = ".json"
)

// publicURL is where people reach a server that listens on addr.
func publicURL(configured string, addr net.Addr) string {
	if configured != "" {
		return strings.TrimSuffix(configured, "/")
	}
	return "http://" + Dialable(addr.String())
}

// publishServer writes the file of a server that people reach at url.
func publishServer(dataDir, url string) (*serverFile, error) {
	dir := filepath.Join(dataDir, serversDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("publishing the server's address: %w", err)
	}
	_, gone, err := Servers(dataDir)
	if err != nil {
		return nil, err
	}
	for _, p := range gone {
		_ = os.Remove(p.path) // left there, it is known for what it is
	}
	text, err := json.Marshal(ServerEntry{URL: url, PID: os.Getpid(),
		Started: time.Now().UTC().Truncate(time.Millisecond)})
	if err != nil {
		return nil, err
	}
	// Locked under a name that is not looked for, so that it is never found unlocked.
	name := filepath.Join(dir, rand.Text())
	s := &serverFile{path: name + serverExt,
		lock: flock.New(name+".new", flock.SetPermissions(0o600))}
	held, err := s.lock.TryLock()
	if err == nil && !held {
		err = errors.New("the file system does not keep locks")
	}
	if err == nil {
		err = os.WriteFile(name+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(name+".new", s.path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("publishing the server's address: %w", err),
			s.lock.Close())
	}
	return s, nil
}

// remove removes the file. It does nothing if s is nil.
func (s *serverFile) remove() error {
	if s == nil {
		return nil
	}
	err := os.Remove(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the whole folder was removed
	}
	return errors.Join(err, s.lock.Close())
}

// Dialable returns an address that reaches a server listening on addr.
func Dialable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}

// Servers reads the server files of a data folder, the newest first: of servers that listen now,
// and of servers that were killed.
func Servers(dataDir string) (here, gone []ServerEntry, err error) {
	dir := filepath.Join(dataDir, serversDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("looking for servers: %w", err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != serverExt {
			continue
		}
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		var p ServerEntry
		if err != nil || json.Unmarshal(text, &p) != nil { // removed meanwhile, or not ours
			continue
		}
		p.path = path
		if locked(path) {
			here = append(here, p)
		} else {
			gone = append(gone, p)
		}
	}
	newest := func(a, b ServerEntry) int { return b.Started.Compare(a.Started) }
	slices.SortStableFunc(here, newest)
	slices.SortStableFunc(gone, newest)
	return here, gone, nil
}

// locked reports whether the file is locked. It asks for a shared lock, so that two who look at
// once do not take each other for the server.
func locked(path string) bool {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	return errors.Join(err, l.Close()) == nil && !free
}
