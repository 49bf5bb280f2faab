package device

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

var sectionNames = []string{"power", "policy", "displays", "windows", "wm"}

func TestStatesOfAndroidsVersions(t *testing.T) {
	golden.Run(t, "testdata/state", func(t *testing.T, c *golden.Case) {
		var sections []string
		for _, name := range sectionNames {
			sections = append(sections, c.Section(t, name))
		}
		c.Want(t, "want", describeState(t, sections))
		bare := func(part string) string {
			if m := dumpHeading.next(part, 0); m != nil {
				return "(" + part[m[1]:]
			}
			return part
		}
		whole := wholeDump(bare(sections[1]), bare(sections[2]), bare(sections[3]))
		if r, ok := parseDump(sections[0], whole); ok {
			apart, err := parseState(sections)
			require.NoError(t, err)
			require.Equal(t, apart, r, "from what dumpsys window says of everything")
		} else {
			require.NotContains(t, c.Name, "android-1", "its whole dump can be read")
		}
		for i := range sections {
			sections[i] = strings.ReplaceAll(sections[i], "\n", "\r\n")
		}
		require.Equal(t, c.Section(t, "want"), describeState(t, sections), "with \\r\\n")
	})
}

func TestTheStatusBarIsToldByWhereInsetsComeFrom(t *testing.T) {
	size := screen.Size{W: 1080, H: 2400}
	for line, want := range map[string]float64{
		"InsetsSource id=4a9e0000 type=statusBars frame=[0,0][1080,120] " +
			"visible=true flags=[]": 0.05,
		"  InsetsSource type=ITYPE_STATUS_BAR frame=[0,0][1080,60] " +
			"visible=true": 0.025,
		"InsetsSource id=4a9e0000 type=statusBars frame=[0,0][1080,120] visible=false":        0,
		"InsetsSource id=4a9e0000 type=statusBars frame=[0,0][2400,120] visible=true":         0,
		"InsetsSource id=4a9e0000 type=statusBars frame=[0,0][1080,2400] visible=true":        0,
		"InsetsSource id=4a9e0001 type=navigationBars frame=[0,2274][1080,2400] visible=true": 0,
		"": 0,
	} {
		require.InDelta(t, want, parseBar("  Display: mDisplayId=0\n"+line+"\n", size), 1e-9, line)
	}
}

func TestATitleThatPassesForAHeadingIsNotBelieved(t *testing.T) {
	answers := ordinary(nil)
	power, _, _ := answers("", "dumpsys power")
	window, _, _ := answers("", "dumpsys window")
	_, ok := parseDump(power, window)
	require.True(t, ok)
	_, ok = parseDump(power, window+"Window{1 u0 a\n"+
		"WINDOW MANAGER POLICY STATE (dumpsys window p)\n}")
	require.False(t, ok)
}

func describeState(t *testing.T, sections []string) string {
	r, err := parseState(sections)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	b, err := json.MarshalIndent(r.State, "", "  ")
	require.NoError(t, err)
	if r.keyguard.secure {
		b = append(b, "\nthe lock screen asks for a PIN"...)
	}
	return string(b) + "\n"
}

// The law: an error, or a state whose size is made of numbers that the phone reported, with a
// rotation of 0 to 3 that fits it, and an app that is the activity's.
func FuzzParseState(f *testing.F) {
	for _, c := range golden.Load(f, "testdata/state") {
		var s []string
		for _, name := range sectionNames {
			s = append(s, c.Section(f, name))
		}
		f.Add(s[0], s[1], s[2], s[3], s[4])
	}
	f.Fuzz(func(t *testing.T, power, policy, displays, windows, wm string) {
		r, err := parseState([]string{power, policy, displays, windows, wm})
		if err != nil {
			return
		}
		s := r.State
		if s.Rotation < 0 || s.Rotation > 3 || !s.Size.Valid() {
			t.Fatalf("%+v", s)
		}
		if !strings.Contains(displays+wm, strconv.Itoa(s.Size.W)) || !strings.Contains(displays+wm,
			strconv.Itoa(s.Size.H)) {
			t.Fatalf("size %s was never reported", s.Size)
		}
		if s.Size == r.geometry.natural.Turned() && s.Size != r.geometry.natural &&
			s.Rotation%2 == 0 {
			t.Fatalf("%+v is turned and says it is not", s)
		}
		if s.Activity != "" && !strings.HasPrefix(s.Activity, s.App+"/") {
			t.Fatalf("activity %q of app %q", s.Activity, s.App)
		}
	})
}

// BenchmarkParseDump reads a dump as long as a phone's with many windows.
func BenchmarkParseDump(b *testing.B) {
	for _, c := range golden.Load(b, "testdata/state") {
		if c.Name != "android-15-secure" {
			continue
		}
		section := func(name string) string {
			lines := strings.SplitAfter(c.Section(b, name), "\n")
			return strings.Join(lines[1:], strings.Repeat("      mAttrs={(0,0)(fillxfill) "+
				"sim={adjust=resize} fmt=TRANSLUCENT wanim=0x10302f8} mLayoutSeq=437\n", 30))
		}
		dump := wholeDump("("+section("policy"), "("+section("displays"), "("+section("windows"))
		b.SetBytes(int64(len(dump)))
		for b.Loop() {
			_, ok := parseDump(c.Section(b, "power"), dump)
			require.True(b, ok)
		}
		return
	}
	b.Fatal("there is no such case")
}
