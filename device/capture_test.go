package device

import (
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The way to a phone may change, so the slower form is tried again now and then.
func TestTheSlowerCaptureIsMeasuredAgainRarely(t *testing.T) {
	var m meter
	forms := func(n int, took map[form]time.Duration) (s string) {
		for range n {
			f := m.next()
			m.note(f, took[f])
			s += map[form]string{formRaw: "r", formPNG: "p"}[f]
		}
		return s
	}
	takes := func(raw, png int) map[form]time.Duration {
		return map[form]time.Duration{formRaw: time.Duration(raw) * time.Millisecond,
			formPNG: time.Duration(png) * time.Millisecond}
	}
	many := forms(10*remeasure, takes(70, 20))
	require.NotContains(t, many, "p", "the phone packs no picture where raw pixels are quick")

	many = forms(10*remeasure, takes(300, 250))
	require.Equal(t, "rrpr", many[:4])
	require.Equal(t, 10, strings.Count(many, "p"), "once at the start, and then every %d captures",
		remeasure)

	many = forms(remeasure, takes(900, 300))
	require.Equal(t, "rrp", many[:3], "the form in use has become slow")
	require.LessOrEqual(t, strings.Count(many, "r"), 3)

	many = forms(remeasure, takes(100, 90))
	require.Equal(t, strings.Repeat("r", 20), many[remeasure-20:], "quick again")

	m = meter{}
	many = forms(remeasure, takes(150, 50))
	require.Equal(t, "rppp", many[:4], "both are measured at the start")
	require.Equal(t, 1, strings.Count(many, "r"))
	m = meter{}
	require.NotContains(t, forms(remeasure, takes(50, 150)), "p")
	m = meter{}
	require.Equal(t, "rppp", forms(4, takes(200, 150)), "quicker by a quarter")
}

// The memory of captures is that of those that are made at once, and no more.
func TestTheMemoryOfACaptureIsUsedAgain(t *testing.T) {
	b := newBuffers()
	first, err := b.take(t.Context())
	require.NoError(t, err)
	require.Nil(t, first)
	b.giveBack(make([]byte, 0, 100))
	for range 3 {
		again, err := b.take(t.Context())
		require.NoError(t, err)
		require.Equal(t, 100, cap(again))
		b.giveBack(again)
	}
	for range cap(b.taken) {
		_, err := b.take(t.Context())
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrShortBuffer)
	_, err = b.take(ctx)
	require.ErrorIs(t, err, io.ErrShortBuffer)
	for range cap(b.taken) {
		b.giveBack(nil)
	}
	_, err = b.take(t.Context())
	require.NoError(t, err)
}

// What a capture costs is the phone's own, and outlives who has it open.
func TestWhatACaptureCostsIsKeptOfEachPhone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quickly, slowly := shows(upright, white, 0, 0), shows(upright, white, time.Second, 0)
		w := &wirePhones{list: "one device\ntwo device\n", shell: ordinary(nil),
			exec: func(serial, command string, to io.Writer) {
				map[string]func(string, string, io.Writer){"one": slowly, "two": quickly}[serial](
					serial, command, to)
			}}
		h := w.host(t, nil)
		raw, png := "exec:"+formRaw.command(), "exec:"+formPNG.command()
		captures := func(serial string) (lines []string) {
			p, err := h.Open(t.Context(), serial)
			require.NoError(t, err)
			w.asked()
			for range 3 {
				_, err := p.Frame(t.Context())
				require.NoError(t, err)
			}
			require.NoError(t, p.Close())
			return slices.DeleteFunc(w.asked(), func(s string) bool {
				return !strings.HasPrefix(s, "exec:")
			})
		}
		require.Equal(t, []string{raw, png, png}, captures("one"))
		require.Equal(t, []string{raw, raw, raw}, captures("two"))
		require.Equal(t, []string{png, png, png}, captures("one"))
	})
}

// Pictures on their way are bounded by the machine, not by the number of phones.
func TestAsManyPicturesAreOnTheirWayAsTheMachineCanTake(t *testing.T) {
	for cores, want := range map[int]int{1: 2, 3: 3, 64: 16} {
		before := runtime.GOMAXPROCS(cores)
		n := cap(newBuffers().taken)
		runtime.GOMAXPROCS(before)
		require.Equal(t, want, n, "%d cores", cores)
	}
}

// A machine that is busy for a moment says nothing about the phone.
func TestOneCaptureThatTookLongIsAnAccident(t *testing.T) {
	var m meter
	for range 20 {
		for i, took := range []time.Duration{50, 900, 50, 50} {
			require.Equal(t, formRaw, m.next(), i)
			m.note(formRaw, took*time.Millisecond)
		}
	}
}

// Some phones give raw pixels in a format that is not read.
func TestAFormThatDoesNotWorkIsTriedRarely(t *testing.T) {
	var m meter
	raws := 0
	for range 10 * remeasure {
		f := m.next()
		if f == formPNG {
			m.note(f, 300)
			continue
		}
		raws++
		m.tear(f)
		require.Equal(t, formPNG, m.next(), "the second try is the other form")
	}
	require.Equal(t, 10, raws)
}
