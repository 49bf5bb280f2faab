package device

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image/color"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

func TestALookTakesTwoServicesAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(_, command string) (string, string, int) {
			time.Sleep(100 * time.Millisecond) // each of the two
			return ordinary(nil)("", command)
		}
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 400*time.Millisecond, 0)}
		p := w.open(t)
		w.shell = slow
		began := time.Now()
		look, err := p.Look(t.Context())
		require.NoError(t, err)
		require.Equal(t, 400*time.Millisecond, time.Since(began))
		require.Equal(t, upright, look.Frame.Size())
		require.Equal(t, screen.State{On: true, Size: upright, App: "com.a",
			Activity: "com.a/.Main", Window: "1"}, look.State)
		require.Equal(t, began, look.At)
		require.Len(t, w.asked(), 2)
	})
}

func TestTheFasterCaptureIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 900*time.Millisecond,
			300*time.Millisecond)}
		m := newMemory()
		w.memory = m
		captures := func() (forms string) {
			p := w.open(t)
			for range 4 {
				_, err := p.Look(t.Context())
				require.NoError(t, err)
			}
			for _, line := range w.asked() {
				switch line {
				case "exec:screencap 2>/dev/null":
					forms += "r"
				case "exec:screencap -p 2>/dev/null":
					forms += "p"
				}
			}
			return forms
		}
		require.Equal(t, "rppp", captures())
		require.Equal(t, "pppp", captures(), "another process remembers it")
		time.Sleep(lasts)
		require.Equal(t, "rppp", captures(), "for a day")
		require.Equal(t, "pppp", captures())
		for _, kept := range []string{"{", `{"took":"?"}`, `[]`, "null", `{"took":[0,0]}`} {
			m.captures["emu"] = json.RawMessage(kept)
			require.Equal(t, "rppp", captures(), kept)
		}
		m.fails = errors.New("the disk is full")
		require.Equal(t, "rppp", captures(), "what is remembered cannot be read")
	})
}

func TestATornPictureIsTakenOnceMoreAndThenAnError(t *testing.T) {
	whole := pixelsOf(upright, white)
	for name, c := range map[string]struct {
		captures [][]byte
		wantErr  string
		services int
	}{
		"torn once": {[][]byte{whole[:5000], whole}, "", 4},
		"torn twice": {[][]byte{whole[:5000], whole[:6000]},
			"looking at emu: screencap gave no whole picture: raw pixels of 108x240", 4},
		"a text for a screen": {[][]byte{[]byte("Capturing failed.\n"),
			[]byte("Capturing failed.\n")}, `starting "Capturing failed.\n"`, 4},
		"nothing":          {[][]byte{nil, nil}, "0 bytes", 4},
		"turned meanwhile": {[][]byte{pixelsOf(upright.Turned(), white), whole}, "", 4},
		"another display": {[][]byte{pixelsOf(screen.Size{W: 200, H: 200}, white),
			pixelsOf(screen.Size{W: 200, H: 200}, white)},
			"the picture is 200x200, the display 108x240", 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				w := &wirePhones{shell: ordinary(nil), exec: func(_, _ string, to io.Writer) {
					to.Write(append(c.captures, whole)[n])
					n++
				}}
				p := w.open(t)
				look, err := p.Look(t.Context())
				require.Len(t, w.asked(), c.services)
				if c.wantErr == "" {
					require.NoError(t, err)
					require.Equal(t, upright, look.Frame.Size())
					return
				}
				require.ErrorContains(t, err, c.wantErr)
				require.Nil(t, look.Frame)
			})
		})
	}
}

// secureWindows is a dump with a window that forbids capture, and what has the focus.
func secureWindows(focus string) map[string]string {
	return map[string]string{"dumpsys window windows": "  Window #0 Window{1 u0 " +
		"com.a/com.a.Main}:\n" +
		"    mAttrs={fl=LAYOUT_IN_SCREEN SECURE}\n    isVisible=true\n" +
		"  Window #1 Window{2 u0 com.a/com.a.Main}:\n" +
		"    mAttrs={fl=LAYOUT_IN_SCREEN}\n    isVisible=true\n" +
		"  mCurrentFocus=" + focus + "\n"}
}

func TestAWindowInFrontThatForbidsCaptureIsBelievedWhateverThePicture(t *testing.T) {
	focused := "Window{1 u0 com.a/com.a.Main}"
	w := &wirePhones{shell: ordinary(secureWindows(focused)), exec: shows(upright, black, 0, 0)}
	p := w.open(t)
	look, err := p.Look(t.Context())
	require.ErrorIs(t, err, screen.ErrSecure)
	require.NotEmpty(t, hint.Of(err))
	require.Nil(t, look.Frame)
	require.True(t, look.State.Secure)
	require.Equal(t, "com.a", look.State.App)
	require.Len(t, w.asked(), 2, "a second picture would be as black")

	// newer versions refuse it whole
	w.exec = func(_, _ string, c io.Writer) { io.WriteString(c, "Capturing failed.") }
	_, err = p.Look(t.Context())
	require.ErrorIs(t, err, screen.ErrSecure)

	// the status bar above it stays in the picture
	w.exec = shows(upright, white, 0, 0)
	look, err = p.Look(t.Context())
	require.ErrorIs(t, err, screen.ErrSecure)
	require.Nil(t, look.Frame)

	// while nothing has the focus it may be in front
	w.shell = ordinary(secureWindows("null"))
	_, err = p.Look(t.Context())
	require.ErrorIs(t, err, screen.ErrSecure)
}

func TestASecureWindowBehindTheOneInFrontIsNoReasonToStop(t *testing.T) {
	w := &wirePhones{shell: ordinary(secureWindows("Window{2 u0 com.a/com.a.Main}")),
		exec: shows(upright, white, 0, 0)}
	p := w.open(t)
	look, err := p.Look(t.Context())
	require.NoError(t, err, "a dialog of the same title has the focus")
	require.False(t, look.State.Secure)

	w.exec = shows(upright, black, 0, 0)
	_, err = p.Look(t.Context())
	require.ErrorIs(t, err, screen.ErrSecure, "nothing is seen of the dialog")
}

func TestALockScreenThatForbidsCaptureIsALockedPhone(t *testing.T) {
	dumps := secureWindows("Window{1 u0 com.a/com.a.Main}")
	dumps["dumpsys window policy"] = "KeyguardServiceDelegate\n  showing=true\n"
	w := &wirePhones{shell: ordinary(dumps), exec: shows(upright, white, 0, 0)}
	look, err := w.open(t).Look(t.Context())
	require.NoError(t, err)
	require.True(t, look.State.Locked)
}

func TestABlackPictureOfAScreenThatMayBeCapturedIsAPicture(t *testing.T) {
	w := &wirePhones{shell: ordinary(nil), exec: shows(upright, black, 0, 0)}
	look, err := w.open(t).Look(t.Context())
	require.NoError(t, err)
	require.True(t, look.Frame.Black())
}

func TestADarkDisplayNeedsNoPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{shell: ordinary(map[string]string{
			"dumpsys power": "  mWakefulness=Asleep\n"}),
			// never comes
			exec: func(_, _ string, c io.Writer) { io.Copy(io.Discard, c.(io.Reader)) }}
		p := w.open(t)
		began := time.Now()
		look, err := p.Look(t.Context())
		require.NoError(t, err)
		require.Nil(t, look.Frame)
		require.False(t, look.State.On)
		require.Zero(t, time.Since(began))
	})
}

func TestAPhoneThatDoesNotTellItsStateIsAnError(t *testing.T) {
	w := &wirePhones{shell: ordinary(map[string]string{
		"dumpsys power": "Can't find service: power\n"}), exec: shows(upright, white, 0, 0)}
	p := w.open(t)
	look, err := p.Look(t.Context())
	require.ErrorIs(t, err, errNoState)
	require.NotEmpty(t, hint.Of(err))
	require.Zero(t, look)
	_, err = p.State(t.Context())
	require.EqualError(t, err, "reading the state of emu: "+errNoState.Error())
}

func TestTheStateAloneTakesOneServiceAndNoPicture(t *testing.T) {
	w := &wirePhones{shell: ordinary(nil)} // nothing captures
	p := w.open(t)
	before := len(w.asked())
	state, err := p.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, screen.State{On: true, Size: upright, App: "com.a", Activity: "com.a/.Main",
		Window: "1"},
		state)
	require.Len(t, w.asked(), before+1)

	w.exec = shows(upright, white, 0, 0)
	_, err = p.Frame(t.Context())
	require.NoError(t, err)
	require.Len(t, w.asked(), 1, "a frame after it goes by it")
}

// A connection that has become a phone's cannot become anything else, and ends with its service: a
// step needs one for each service, and none to ask the server itself.
func TestAStepTakesOneConnectionForEachService(t *testing.T) {
	w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 0, 0),
		sum: func() string { return sumOf(upright, white) }}
	p := w.open(t)
	w.dials.Store(0)
	_, err := p.Look(t.Context())
	require.NoError(t, err)
	_, err = p.Frame(t.Context())
	require.NoError(t, err)
	_, err = p.State(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Tap(t.Context(), screen.Point{X: 0.5, Y: 0.5}))
	require.EqualValues(t, 2+1+1+1, w.dials.Load())
}

func TestTheDisplaysPowerIsAskedForWhereTheWindowsDoNotTellIt(t *testing.T) {
	lit := "KeyguardServiceDelegate\n  showing=false\n  screenState=SCREEN_STATE_ON\n" +
		"  interactiveState=INTERACTIVE_STATE_AWAKE\n"
	both, one := []string{"dumpsys power", "dumpsys window"}, []string{"dumpsys window"}
	for _, c := range []struct {
		power, policy string
		on            bool
		asks          [][]string
	}{
		{"Awake", lit, true, [][]string{one}},
		{"Awake", "KeyguardServiceDelegate\n  showing=false\n", true, [][]string{one, both}},
		{"Asleep", strings.ReplaceAll(lit, "AWAKE", "SLEEP"), false, [][]string{one, both}},
		{"Awake", strings.ReplaceAll(lit, "AWAKE", "WAKING"), true, [][]string{one, both}},
		{"Dozing", strings.ReplaceAll(lit, "STATE_ON", "STATE_OFF"), false, [][]string{one, both}},
		{"Asleep", lit[:len(lit)-1] + "X\n", false, [][]string{one, both}},
	} {
		now := map[string]string{"dumpsys window policy": lit}
		w := &wirePhones{}
		w.shell = func(serial, command string) (string, string, int) {
			return ordinary(now)(serial, command)
		}
		p := w.open(t)
		for _, asks := range [][]string{both, one} {
			state, err := p.State(t.Context())
			require.NoError(t, err)
			require.True(t, state.On)
			require.Equal(t, [][]string{asks}, commands(w.asked()))
		}
		now["dumpsys power"] = "  mWakefulness=" + c.power + "\n"
		now["dumpsys window policy"] = c.policy
		state, err := p.State(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.on, state.On, "%+v", c)
		require.Equal(t, c.asks, commands(w.asked()), "%+v", c)
	}
}

// commands are those of each line of dumps.
func commands(lines []string) (all [][]string) {
	for _, line := range lines {
		var dumps []string
		for _, command := range strings.Split(line, ";") {
			if i := strings.Index(command, "dumpsys "); i >= 0 {
				dumps = append(dumps, strings.TrimSpace(strings.TrimSuffix(command[i:],
					" 2>/dev/null")))
			}
		}
		all = append(all, dumps)
	}
	return all
}

func TestAPhoneThatHangsIsNamedWithItsCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 0, 0)}
		p := w.open(t)
		w.hang("emu", true)
		began := time.Now()
		_, err := p.Look(t.Context())
		require.EqualError(t, err, "looking at emu: the phone did not answer `dumpsys power` within 15s")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, screen.ErrDisconnected)
		require.NotEmpty(t, hint.Of(err))
		require.Equal(t, 15*time.Second, time.Since(began))

		err = p.Swipe(t.Context(), screen.Point{}, screen.Point{X: 1, Y: 1}, 10*time.Second)
		require.EqualError(t, err, "swiping on emu: the phone did not answer `dumpsys power` within 15s")

		w.hang("emu", false)
		_, err = p.Look(t.Context())
		require.NoError(t, err)
		w.hang("emu", true)
		began = time.Now()
		err = p.Swipe(t.Context(), screen.Point{}, screen.Point{X: 1, Y: 1}, 10*time.Second)
		require.EqualError(t, err, "swiping on emu: the phone did not answer `input swipe` within 25s")
		require.Equal(t, 25*time.Second, time.Since(began), "a long swipe gets its own time on top")
	})
}

func TestAPhoneThatIsGoneIsDisconnectedWithTheHintOfADB(t *testing.T) {
	for _, text := range []string{"device 'emu' not found", "device offline",
		"device unauthorized.\nThis adb server's keys are not set", "no devices/emulators found"} {
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 0, 0)}
		p := w.open(t)
		w.refuse = map[string]string{"emu": text}
		_, err := p.Look(t.Context())
		require.ErrorIs(t, err, screen.ErrDisconnected, text)
		require.NotEmpty(t, hint.Of(err), text)
		require.ErrorContains(t, err, strings.Split(text, "\n")[0])
		require.ErrorIs(t, p.Tap(t.Context(), screen.Point{}), screen.ErrDisconnected)
		require.ErrorIs(t, p.Type(t.Context(), "x"), screen.ErrDisconnected)
		_, err = p.Wake(t.Context())
		require.ErrorIs(t, err, screen.ErrDisconnected)
	}
}

func TestAPictureIsMadeToFitTheLogicalDisplay(t *testing.T) {
	size := func(w, h int) screen.Size { return screen.Size{W: w, H: h} }
	for _, c := range []struct {
		picture, logical, natural, panel screen.Size
		want                             screen.Size // zero: an error
	}{
		{size(108, 240), size(108, 240), size(108, 240), size(108, 240), size(108, 240)},
		// physical pixels under an override
		{size(108, 240), size(72, 160), size(72, 160), size(108, 240), size(108, 240)},
		{size(240, 108), size(160, 72), size(72, 160), size(108, 240), size(240, 108)},
		// rounding
		{size(108, 241), size(108, 240), size(108, 240), size(108, 240), size(108, 241)},
		// bars above and below
		{size(108, 240), size(108, 108), size(108, 108), size(108, 240), size(108, 108)},
		// and turned
		{size(240, 108), size(108, 108), size(108, 108), size(108, 240), size(108, 108)},
		{size(108, 240), size(240, 108), size(108, 240), size(108, 240), screen.Size{}}, // turning
		// a foldable's other display
		{size(221, 184), size(108, 209), size(108, 209), size(108, 209), screen.Size{}},
		{size(50, 50), size(72, 160), size(72, 160), size(108, 240), screen.Size{}},
	} {
		t.Run(fmt.Sprint(c.picture, " for ", c.logical), func(t *testing.T) {
			f, err := new(screen.Decoder).Decode(pixelsOf(c.picture, color.RGBA{9, 9, 9, 255}),
				new(screen.Sum))
			require.NoError(t, err)
			got, err := fit(f, reading{State: screen.State{Size: c.logical},
				geometry: geometry{natural: c.natural, panel: c.panel}})
			if !c.want.Valid() {
				var torn tornError
				require.ErrorAs(t, err, &torn)
				require.NotEmpty(t, hint.Of(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got.Size())
		})
	}
}

func TestACancelledLookLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble fails when a goroutine stays
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 0, 0)}
		p := w.open(t)
		w.hang("emu", true)
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("the run was stopped")
		time.AfterFunc(time.Second, func() { cancel(cause) })
		_, err := p.Look(ctx)
		require.ErrorIs(t, err, cause)
	})
}

// bomb is a PNG of a few hundred kilobytes that is w by h pixels of 16 bits a channel.
func bomb(t *testing.T, size screen.Size) []byte {
	chunk := func(kind string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, kind...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	row := make([]byte, 1+8*size.W)
	for range size.H {
		_, err := z.Write(row)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	head := binary.BigEndian.AppendUint32(nil, uint32(size.W))
	head = binary.BigEndian.AppendUint32(head, uint32(size.H))
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 16, 6, 0, 0, 0)),
		chunk("IDAT", pixels.Bytes()), chunk("IEND", nil))
}

// However much a phone sends, no more is read than the raw pixels of its display.
func TestACaptureIsReadAsFarAsTheDisplayIsLarge(t *testing.T) {
	large := pixelsOf(screen.Size{W: 108, H: 240}, white)
	large = append(large, make([]byte, 100<<20)...)
	w := &wirePhones{shell: ordinary(nil),
		exec: func(_, _ string, to io.Writer) { to.Write(large) }}
	p := w.open(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := p.Look(t.Context())
	runtime.ReadMemStats(&after)
	require.ErrorContains(t, err, "screencap gave more than a picture of the display")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20), "bytes for one look")
}

func TestAPictureIsMeasuredBeforeItIsDecoded(t *testing.T) {
	for name, c := range map[string]struct {
		size screen.Size
		want string
	}{
		"of the display's shape": {screen.Size{W: 1692, H: 3760},
			"the picture is 1692x3760, the display 108x240"},
		"of another shape": {screen.Size{W: 2400, H: 2400},
			"the picture is 2400x2400, the display 108x240"},
	} {
		t.Run(name, func(t *testing.T) {
			picture := bomb(t, c.size)
			require.Less(t, len(picture), 1<<20)
			w := &wirePhones{shell: ordinary(nil),
				exec: func(_, _ string, to io.Writer) { to.Write(picture) }}
			p := w.open(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := p.Look(t.Context())
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, c.want)
			spent := after.TotalAlloc - before.TotalAlloc
			require.Less(t, spent, uint64(16<<20), "bytes for one look")
			_, err = p.Frame(t.Context())
			require.ErrorContains(t, err, c.want)
		})
	}
}
