package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/wait"
)

// The files by which a server on stdio is asked for the page, in the folder of the server files.
const (
	asleepName = "stdio.lock" // such servers hold it locked, shared
	wantedName = "page.wanted"
	openName   = "page.lock" // the one that has opened the page holds it locked
)

// onDemand is the page of a server on stdio, which is opened when somebody asks for it. Its zero
// value with its set is ready to use; start begins to listen for that.
type onDemand struct {
	set  *app.Settings
	page webUI
	svc  *Service
	err  error // of the end
	all  sync.WaitGroup
	end  context.CancelFunc
	over context.Context // bounds the end; set before end is called
}

// start offers the page until close.
func (o *onDemand) start(svc *Service) {
	ctx, cancel := context.WithCancel(context.Background())
	o.svc, o.end = svc, cancel
	o.all.Go(func() {
		if o.err = o.offer(ctx); o.err != nil && ctx.Err() == nil {
			o.set.Log.Warn("the page cannot be opened on demand", "err", o.err)
			o.err = nil
		}
	})
}

// close ends the page, if it was opened, within ctx. It is called after start.
func (o *onDemand) close(ctx context.Context) error {
	o.over = ctx
	o.end()
	o.all.Wait()
	return o.err
}

// offer waits until somebody wants the page, and serves it until ctx ends.
func (o *onDemand) offer(ctx context.Context) error {
	dir := filepath.Join(o.set.Conf.DataDir, serversDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	asleep := flock.New(filepath.Join(dir, asleepName), flock.SetPermissions(0o600))
	defer asleep.Close()
	if _, err := asleep.TryRLockContext(ctx, time.Second/20); err != nil {
		return Without(err, context.Canceled)
	}
	var wanted files.Watcher
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { wanted.Run(watching, filepath.Join(dir, wantedName)) })
	defer watch.Wait()
	defer stop()
	for {
		changed := wanted.Changed()
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
		if here, _, err := Servers(o.set.Conf.DataDir); err != nil || len(here) > 0 {
			continue
		}
		turn := flock.New(filepath.Join(dir, openName), flock.SetPermissions(0o600))
		mine, err := turn.TryLock()
		if err == nil && mine {
			err = o.serve(ctx)
		}
		if err = errors.Join(err, turn.Close()); err != nil {
			return err
		}
	}
}

// serve serves the page on this machine until ctx ends. The port is any that is free: http.addr is
// for a server over HTTP.
func (o *onDemand) serve(ctx context.Context) error {
	ln, err := listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	tokens, err := Tokens(o.set.Conf.DataDir, o.svc.Store)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	auth := &authenticator{tokens: tokens, open: true}
	stop := auth.watch(ctx, o.set.Conf.DataDir,
		func(err error) { o.set.Log.Warn("tokens", "err", err) })
	defer stop()
	mux := http.NewServeMux()
	o.page.open(o.set, o.svc, auth, mux)
	srv := httpServer(auth.limited(mux), o.set.Log)
	err = letIn(ctx, srv, ln, func() (*serverFile, error) {
		url := publicURL("", ln.Addr())
		o.set.Log.Info("the page is open", "url", url)
		return publishServer(o.set.Conf.DataDir, url)
	}, func() {})
	over := ctx // if nobody can reach it, the server runs without it
	if ctx.Err() != nil {
		over = o.over
	}
	return errors.Join(err, o.page.close(over), srv.Close())
}

// openTime is how long a server on stdio may take to open the page.
const openTime = 10 * time.Second

// OpenPage has a server on stdio that uses the data folder open the page, and returns where. found
// reports whether there is such a server.
func OpenPage(ctx context.Context, dataDir string) (url string, found bool, err error) {
	dir := filepath.Join(dataDir, serversDir)
	asleep := flock.New(filepath.Join(dir, asleepName), flock.SetPermissions(0o600))
	if _, missing := os.Stat(asleep.Path()); missing != nil {
		return "", false, nil
	}
	free, err := asleep.TryLock()
	if err = errors.Join(err, asleep.Close()); free || err != nil {
		return "", false, err
	}
	at := fmt.Appendf(nil, "%d\n", time.Now().UnixNano())
	if err := os.WriteFile(filepath.Join(dir, wantedName), at, 0o600); err != nil {
		return "", true, fmt.Errorf("asking for the page: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, openTime,
		errors.New("the server on stdio did not open the page in time; its log says why"))
	defer cancel()
	for {
		here, _, err := Servers(dataDir)
		if len(here) > 0 {
			return here[0].URL, true, nil
		}
		if err = errors.Join(err, wait.For(ctx, time.Second/20)); err != nil {
			return "", true, err
		}
	}
}
