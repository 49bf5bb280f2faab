package play

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/suite"
)

// A line that does not end is the suite's fault, unless the phone was lost.
func TestTheKindOfATroubleIsThatOfWhoeverCanMendIt(t *testing.T) {
	kind := func(err error) string {
		t.Helper()
		x, is := errors.AsType[*suite.Trouble](err)
		require.True(t, is)
		return x.Kind
	}
	hangs := func(context.Context, string, time.Duration) (string, int, error) {
		return "", 0, fmt.Errorf("running it: %w", context.DeadlineExceeded)
	}
	sleeps := func(ctx context.Context) error {
		return trouble(suite.KindSuite, shell(ctx, hangs, "sleep 1000"))
	}
	require.Equal(t, suite.KindSuite, kind(sleeps(t.Context())))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, suite.KindPhone, kind(sleeps(ended)))

	for code, want := range map[runs.Code]string{
		runs.InvalidArgument: suite.KindSuite, runs.InternalError: suite.KindSuite,
		runs.DeviceBusy: suite.KindPhone, runs.DeviceOffline: suite.KindPhone,
		runs.ADBUnreachable: suite.KindADB,
	} {
		require.Equal(t, want, kind(trouble(suite.KindSuite, runs.Refuse(code, "", "x"))), code)
	}
	other := fmt.Errorf("reading the length: %w", adb.ErrProtocol) // another program has the port
	require.Equal(t, suite.KindADB, kind(trouble(suite.KindSuite, other)))
}

// unseen is a view that shows nothing.
type unseen struct{ View }

func (unseen) Began(Attempt)      {}
func (unseen) Ended(suite.Result) {}
func (unseen) Note(string)        {}

// worked is a worker whose attempts end with these errors, one after the other.
func worked(on *suite.Suite, errs ...error) (*worker, *suite.Item) {
	i := &suite.Item{Suite: on}
	o := &Options{Open: func(context.Context, Attempt) (*Scene, error) {
		err := errs[0]
		errs = errs[1:]
		return nil, err
	}, Usable: func(context.Context, string) error { return nil },
		View: unseen{}}
	w := &worker{queue: newQueue([]*suite.Item{i}, o), held: context.Background()}
	w.rested = func() {}
	return w, i
}

// What began on a phone is torn down there, also if the phone was away meanwhile.
func TestASuiteThatBeganBeforeThePhoneWasAwayIsTornDown(t *testing.T) {
	one := &suite.Suite{Name: "one"}
	w, i := worked(one, device.ErrNoPhone, &suite.Trouble{Kind: suite.KindSuite,
		Err: errors.New("x")})
	w.ready = map[*suite.Suite]bool{one: true}
	require.True(t, w.item(t.Context(), i))
	require.Equal(t, map[*suite.Suite]bool{one: false}, w.ready)
}

// What is said of a phone that was lost stands at the case that it was lost in, and names it.
func TestALostPhoneIsToldAtItsCase(t *testing.T) {
	one := &suite.Suite{Name: "one"}
	broken := &suite.Trouble{Kind: suite.KindSuite, Err: errors.New("x")}
	w, a := worked(one, device.ErrNoPhone, broken, device.ErrNoPhone, device.ErrNoPhone, broken,
		broken)
	b, c := &suite.Item{Suite: one, Name: "b"}, &suite.Item{Suite: one, Name: "c"}
	a.Name = "a"
	w.opts.Phones = []runs.PhoneInfo{{Serial: "p1"}, {Serial: "p2"}}
	w.opts.Fits = func(*suite.Suite, runs.PhoneInfo) error { return nil }
	w.queue = newQueue([]*suite.Item{a, b, c}, w.opts)
	w.rested, w.phone, w.ready = func() {}, w.opts.Phones[0], map[*suite.Suite]bool{}
	require.True(t, w.item(t.Context(), a), "the phone is back")
	require.False(t, w.item(t.Context(), b), "and is lost for good")
	other := *w
	other.phone = w.opts.Phones[1]
	for _, i := range []*suite.Item{b, c} {
		require.True(t, other.item(t.Context(), i))
	}
	var notes [][]string
	for _, r := range w.rest(t.Context()) {
		notes = append(notes, r.Last().Notes)
	}
	lost := device.ErrNoPhone.Error()
	require.Equal(t, [][]string{{`p1 is there, and the case "a" is tried once more: ` + lost},
		{`p1 is there, and the case "b" is tried once more: ` + lost,
			"p1 is taken out: " + lost + ` ("b")`}, nil}, notes)
}
