package device

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf16"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Bounds of a dump of uiautomator. Busy screens give some hundred KB, and nest some 40 deep. What
// is behind or below them is cut off.
const (
	maxDump  = 5 << 20 // bytes
	maxNodes = 20_000  // of the list, the last ones, which are drawn over the others
	maxDepth = 500
)

// node is one node of a dump, as the phone wrote it: with the text of password fields. Its
// attributes have the names that AccessibilityNodeInfoDumper of AOSP writes.
type node struct {
	xml.StartElement
	depth int // 1 for a window's root
}

func (n node) get(name string) string { return attr(n.StartElement, name) }

func (n node) is(name string) bool { return n.get(name) == "true" }

// field reports whether n takes text.
func (n node) field() bool {
	class := n.get("class")
	return strings.Contains(class, "EditText") || strings.Contains(class, "AutoComplete")
}

// readNodes calls visit for each node of a dump, parents first, and turned for the rotation of each
// tree, until one of them returns an error. There may be several trees, text around them, and
// characters that XML forbids. The error is theirs, or errBadDump, or errHugeDump for a dump whose
// nodes were visited as far as they are within the bounds.
func readNodes(dump []byte, turned func(rotation string) error, visit func(node) error) error {
	whole := len(dump) <= maxDump
	dump = dump[:min(len(dump), maxDump)]
	start := dumpStart.FindIndex(dump)
	if start == nil {
		return fmt.Errorf("%w: there is no tree in it", errBadDump)
	}
	d := xml.NewDecoder(bytes.NewReader(legal(dump[start[0]:])))
	d.Strict = false // a & that was not escaped
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	r := nodeReader{turned: turned, visit: visit}
	for {
		token, err := d.RawToken()
		if err != nil && !whole {
			return fmt.Errorf("%w: over %d bytes", errHugeDump, maxDump)
		}
		if err != nil {
			return r.end(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			err = r.open(e)
		case xml.EndElement:
			err = r.close(e.Name.Local)
		}
		if err != nil {
			return err
		}
	}
}

// nodeReader is where in a dump the reading is.
type nodeReader struct {
	turned func(string) error
	visit  func(node) error

	tags  []string // that are open
	depth int      // of them nodes
	trees int      // that are read to their end
	cut   bool     // some were too deep
}

func (r *nodeReader) open(e xml.StartElement) error {
	name := e.Name.Local
	r.tags = append(r.tags, name)
	switch name {
	case "hierarchy":
		return r.turned(attr(e, "rotation"))
	case "node":
		r.depth++
	}
	switch {
	case len(r.tags)-r.depth > maxDepth:
		return fmt.Errorf("%w: nested over %d deep", errHugeDump, maxDepth)
	case name == "node" && r.depth > maxDepth:
		r.cut = true
		return nil
	case name != "node":
		return nil
	}
	return r.visit(node{e, r.depth})
}

func (r *nodeReader) close(name string) error {
	last := len(r.tags) - 1
	if last < 0 || r.tags[last] != name {
		return fmt.Errorf("%w: </%s> closes nothing", errBadDump, text.Cut(name, 40))
	}
	r.tags = r.tags[:last]
	switch name {
	case "hierarchy":
		r.trees++
	case "node":
		r.depth--
	}
	return nil
}

// end returns the error of a dump whose reading ended with err. Text behind the last tree is
// ignored.
func (r *nodeReader) end(err error) error {
	switch {
	case len(r.tags) == 0 && r.trees > 0 && r.cut:
		return fmt.Errorf("%w: nested over %d deep", errHugeDump, maxDepth)
	case len(r.tags) == 0 && r.trees > 0:
		return nil
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: it is cut off", errBadDump)
	}
	return fmt.Errorf("%w: %w", errBadDump, err)
}

var (
	dumpStart = regexp.MustCompile(`<(?:\?xml|displays|hierarchy)[\s>/]`)
	reference = regexp.MustCompile(`(?:&#(?:\d{1,8}|[xX][0-9a-fA-F]{1,7});)+`)
)

// legal is a dump without the characters that XML forbids: phones let some of them through, and
// some write a character beyond U+FFFF as two references to the halves of a surrogate pair.
func legal(dump []byte) []byte {
	dump = reference.ReplaceAllFunc(dump, func(refs []byte) []byte {
		var units []uint16
		for ref := range strings.SplitSeq(strings.Trim(string(refs), "&#;"), ";&#") {
			base := 10
			if ref[0] == 'x' || ref[0] == 'X' {
				ref, base = ref[1:], 16
			}
			n, _ := strconv.ParseUint(ref, base, 32)
			if n < 0x10000 { // half of a pair, too
				units = append(units, uint16(n))
			} else {
				units = utf16.AppendRune(units, rune(min(n, 0x110000)))
			}
		}
		var out []byte
		for _, r := range utf16.Decode(units) {
			out = fmt.Appendf(out, "&#%d;", permitted(r))
		}
		return out
	})
	return bytes.Map(permitted, dump)
}

// permitted is r, or a dot when XML forbids it.
func permitted(r rune) rune {
	if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
		return '.'
	}
	return r
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

var nodeBounds = text.Lazily(`^\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]$`)

// pixels is where n is, the empty rectangle when that cannot be read.
func (n node) pixels() (r image.Rectangle) {
	m := nodeBounds().FindStringSubmatch(n.get("bounds"))
	if m == nil {
		return r
	}
	for i, to := range []*int{&r.Min.X, &r.Min.Y, &r.Max.X, &r.Max.Y} {
		*to, _ = strconv.Atoi(m[i+1]) // few digits
	}
	return r
}

// ParseElements lists the elements of a dump for a display of that size and rotation. A dump
// of another display or rotation, or without a useful element, is an error.
func ParseElements(dump []byte, size screen.Size, rotation screen.Rotation) (
	[]screen.Element, error) {
	l := lister{size: size, rotation: rotation, pixels: image.Rect(0, 0, size.W, size.H)}
	err := readNodes(dump, l.turned, l.visit)
	if err != nil && (!errors.Is(err, errHugeDump) || len(l.list) == 0) {
		return nil, err
	}
	if len(l.list) == 0 {
		return nil, errEmptyScreen
	}
	return l.list[max(len(l.list)-maxNodes, 0):], nil
}

type lister struct {
	size     screen.Size
	pixels   image.Rectangle
	rotation screen.Rotation
	list     []screen.Element
	around   []int // depths of the listed nodes around the one that is read
	secret   int   // depth of the password field around, 0 for none
}

func (l *lister) turned(rotation string) error {
	n, err := strconv.Atoi(rotation)
	if err == nil && n != int(l.rotation) {
		return fmt.Errorf("%w: it is of rotation %d, the display has %d", errOtherScreen, n,
			l.rotation)
	}
	return nil
}

// visit takes a node over when it says something or a touch of it does something.
func (l *lister) visit(n node) error {
	at, display := n.pixels(), n.get("display-id") // since Android 14
	// some versions round, and some add the shadow of a window
	if slack := max(l.size.W, l.size.H) / 20; n.depth == 1 && !at.In(l.pixels.Inset(-slack)) ||
		display != "" && display != "0" {
		return fmt.Errorf("%w: a window of it is at %v, the display is %s", errOtherScreen, at,
			l.size)
	}
	for last := len(l.around) - 1; last >= 0 && l.around[last] >= n.depth; last-- {
		l.around = l.around[:last]
	}
	if n.depth <= l.secret {
		l.secret = 0
	}
	e := n.element()
	e.Bounds, e.Depth = screen.RectOf(at, l.size), len(l.around)+1
	if e.Password && l.secret == 0 {
		l.secret = n.depth
	}
	if l.secret > 0 {
		e.Text = ""
	}
	if l.secret > 0 && !e.Password {
		e.ContentDesc, e.Hint = "", "" // of a part of the field
	}
	says := strings.TrimSpace(e.Text+e.ContentDesc+e.Hint) != "" || e.Password
	if n.get("visible-to-user") == "false" || !e.Bounds.Valid() || !says && !e.Actionable() {
		l.role(&e)
		return nil
	}
	l.around = append(l.around, n.depth)
	l.list = append(l.list, e)
	return nil
}

// role takes over the class of a node that is not listed, where that only says what the one around
// it is: Jetpack Compose writes a button as a View with an empty Button in it.
func (l *lister) role(of *screen.Element) {
	if len(l.around) == 0 || !strings.HasSuffix(of.Class, "Button") {
		return
	}
	last := len(l.list) - 1
	for last >= 0 && l.list[last].Depth > len(l.around) {
		last--
	}
	if e := &l.list[last]; e.Clickable && e.Class == "android.view.View" && e.Bounds == of.Bounds {
		e.Class = of.Class
	}
}

// element is n as it is listed, without its place. A hint that is shown as the text stands once.
func (n node) element() screen.Element {
	e := screen.Element{Text: cutText(n.get("text")), ContentDesc: cutText(n.get("content-desc")),
		Hint: cutText(n.get("hint")), Class: text.Cut(n.get("class"), 200),
		ResourceID: text.Cut(n.get("resource-id"), 200), Clickable: n.is("clickable"),
		LongClickable: n.is("long-clickable"), Scrollable: n.is("scrollable"),
		Editable: n.field(), Password: n.is("password"), Checkable: n.is("checkable"),
		Checked: n.is("checked"), Enabled: n.get("enabled") != "false",
		Focused: n.is("focused"), Selected: n.is("selected")}
	if e.Hint == e.Text || e.Hint == e.ContentDesc {
		e.Hint = ""
	}
	return e
}

// cutText shortens a long text to its two ends and removes invisible characters.
func cutText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if _, left := text.Head(s, screen.MaxElementText); left > 0 {
		s, _ = text.Ends(text.Line(s), screen.MaxElementText-len(text.Gap))
	}
	return s
}

// dumping is a way in which uiautomator is run. The zero value is the quickest.
type dumping struct {
	toFile    bool // it does not write to the terminal
	unlimited bool // the phone has no timeout command
}

// dumper lists the elements on the screen through uiautomator.
type dumper struct {
	*shell
	way atomic.Pointer[dumping] // the way that works, nil before it is known
}
