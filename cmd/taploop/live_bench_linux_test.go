package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
)

// measured is how long a part of BenchmarkLive goes on.
const measured = 15 * time.Second

// ticks is how much of a core the process has used so far, in hundredths of a second.
func ticks(t testing.TB, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, err := strconv.ParseFloat(fields[11], 64)
	require.NoError(t, err)
	system, err := strconv.ParseFloat(fields[12], 64)
	require.NoError(t, err)
	return user + system
}

// watching is a viewer of a live picture that counts what it gets.
type watching struct{ pictures, bytes atomic.Int64 }

// watch looks at the phone until ctx ends.
func (w *watching) watch(ctx context.Context, url, token string) error {
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || res.StatusCode != http.StatusOK {
		return errors.Join(err, errors.New(res.Status))
	}
	for parts := multipart.NewReader(res.Body, params["boundary"]); ; {
		p, err := parts.NextRawPart()
		if err != nil {
			return nil
		}
		n, err := io.Copy(io.Discard, p)
		if err != nil {
			return nil
		}
		if p.Header.Get("Content-Type") == "image/jpeg" {
			w.pictures.Add(1)
			w.bytes.Add(n)
		}
	}
}

// BenchmarkLive is a phone that is shown live by a server of its own process, to one viewer and to
// ten: pictures a second and kilobytes a second for each viewer while a list is scrolled all the
// time, and the share of a core that the server uses then, and while nothing moves.
func BenchmarkLive(b *testing.B) {
	for _, viewers := range []int{1, 10} {
		b.Run(fmt.Sprintf("%d viewers", viewers), func(b *testing.B) {
			e := newTestEnv(b, demoTask, "", "TAPLOOP_HTTP_OPERATORS=viewer")
			token := e.token("viewer")
			require.NoError(b, e.sim.Phone.Apps.Launch("com.taploop.sandbox.shop"))
			p, url := e.serve()
			url = strings.TrimSuffix(url, "/mcp") + "/v1/devices/" + simulation.DefaultSerial +
				"/live"
			for b.Loop() {
				all := make([]watching, viewers)
				ctx, end := context.WithCancel(b.Context())
				var wg sync.WaitGroup
				for i := range all {
					wg.Go(func() {
						if err := all[i].watch(ctx, url, token); err != nil {
							b.Error(err)
						}
					})
				}
				still := e.share(p, func() { time.Sleep(measured) })
				counted := func() (pictures, bytes float64) {
					for i := range all {
						pictures += float64(all[i].pictures.Load())
						bytes += float64(all[i].bytes.Load())
					}
					return pictures, bytes
				}
				time.Sleep(3 * time.Second)
				pictures, bytes := counted()
				moving := e.share(p, e.scroll)
				more, larger := counted()
				end()
				wg.Wait()
				each := float64(viewers) * measured.Seconds()
				b.ReportMetric((more-pictures)/each, "pictures/s")
				b.ReportMetric((larger-bytes)/each/1000, "kB/s")
				b.ReportMetric(100*moving, "%core-moving")
				b.ReportMetric(100*still, "%core-still")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// share is the share of a core that the process uses while something goes on.
func (b *testEnv) share(p *process, goesOn func()) float64 {
	began, before := time.Now(), ticks(b.t, p.cmd.Process.Pid)
	goesOn()
	return (ticks(b.t, p.cmd.Process.Pid) - before) / 100 / time.Since(began).Seconds()
}

// scroll drags the list of the Shop down and up, in steps, for as long as is measured.
func (b *testEnv) scroll() {
	phone := b.sim.Phone
	size := phone.Display.Size()
	for end, n := time.Now().Add(measured), 0; time.Now().Before(end); n++ {
		from, to := size.Y*5/8, size.Y*4/8
		if n/6%2 == 1 {
			from, to = to, from
		}
		phone.Touch.Swipe(size.X/2, from, size.X/2, to, 80*time.Millisecond)
		time.Sleep(100 * time.Millisecond)
	}
}
