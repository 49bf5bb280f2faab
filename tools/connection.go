package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/words"
	"github.com/taploop/taploop/tools/schema"
)

// connectionOptions are what a connection sets in the query of its URL, see [Connected].
type connectionOptions struct {
	descriptions map[string]string // by TOOL or TOOL.PARAM
	lang         string            // one of the languages
	mode         channel.Mode
	compat       Compat   // "" is the server's own
	schemas      Schemas  // the same
	unknown      []string // keys, with what was probably meant
	wait         time.Duration
	err          error // their error, with which every call is refused
}

// What a description may have at most, in characters.
const (
	maxDescription      = 4000
	maxParamDescription = 1000
)

type connectionKey struct{}

// Connected is the context of a request with what its connection sets in the query of its URL:
//
//	desc.TOOL=TEXT        the description of a tool, for this connection
//	desc.TOOL.PARAM=TEXT  that of an argument
//	description=TEXT      the same as desc.send_inquiry
//	lang=en|zh            of our own sentences around results, questions and forms
//	reply_mode=MODE       for calls that name none, the server's own, or one without a person
//	wait_seconds=N        the longest that a call waits
//	schemas=LIST          how much the list of tools says, see [parseSchemas]
//	compat=gelab|off      the tools as gelab-zero's server has them, see [Compat]
//
// They tighten what the server allows and never loosen it. Every description ends with
// a sentence of the server's.
//
// It is for transport.Options.Context.
func Connected(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, connectionKey{}, readConnectionOptions(r.URL.Query()))
}

func connectionOptionsOf(ctx context.Context) *connectionOptions {
	if o, ok := ctx.Value(connectionKey{}).(*connectionOptions); ok {
		return o
	}
	return readConnectionOptions(nil)
}

// readConnectionOptions reads the query of a connection's URL. Every call of the connection reports
// an error in the known keys, and notes the unknown ones.
func readConnectionOptions(query url.Values) *connectionOptions {
	o := &connectionOptions{descriptions: map[string]string{}, lang: "en", wait: math.MaxInt64}
	for key, values := range query {
		if err := o.read(key, values[len(values)-1]); err != nil && o.err == nil {
			o.err = err
		}
	}
	return o
}

func (o *connectionOptions) read(key, value string) error {
	name, described := strings.CutPrefix(key, "desc.")
	switch {
	case described:
		o.describe(name, value)
	case key == "description":
		o.describe(inquiryTool, value)
	case key == "lang":
		lang, ok := words.Find(value)
		if !ok {
			return badOption(key, "use en or zh", "%s is none of the languages",
				text.Quote(value, 60))
		}
		o.lang = lang
	case key == "reply_mode":
		return o.readMode(key, value)
	case key == "schemas":
		return o.readSchemas(key, value)
	case key == "compat":
		return readOne(&o.compat, key, value, CompatGelab, CompatOff)
	case key == "wait_seconds":
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !(n >= 0 && n <= 3600) {
			return badOption(key, "use a number of seconds from 0 to 3600", "%s is none",
				text.Quote(value, 60))
		}
		o.wait = time.Duration(n * float64(time.Second))
	default:
		o.noteUnknown(key)
	}
	return nil
}

func (o *connectionOptions) describe(name, value string) {
	most := maxDescription
	if strings.Contains(name, ".") {
		most = maxParamDescription
	}
	if value = text.Cut(strings.TrimSpace(text.Lines(value)), most); value != "" {
		o.descriptions[name] = value
	}
}

func (o *connectionOptions) readMode(key, value string) error {
	personalModes := "use " + channel.People()
	mode, err := channel.Parse(value)
	if err != nil || value == "" {
		return badOption(key, personalModes, "%s is no reply mode", text.Quote(value, 60))
	}
	if !mode.Personal() {
		return badOption(key, personalModes+", or leave it to each call",
			"under %s not only people are asked, and an address may only tighten", mode)
	}
	o.mode = mode
	return nil
}

// keys are those of a query, except desc.TOOL.
var keys = []string{"description", "lang", "reply_mode", "schemas", "compat", "wait_seconds"}

// noteUnknown notes a key that is not known. A gateway may have added it, so that it is no error.
func (o *connectionOptions) noteUnknown(key string) {
	note := text.Quote(key, 60)
	if near := schema.Nearest(key, keys); near != "" {
		note += " (did you mean " + near + "?)"
	}
	o.unknown = append(o.unknown, note)
	slices.Sort(o.unknown)
}

// ignored says which keys have no effect, "" when there are none.
func (o *connectionOptions) ignored() string {
	if len(o.unknown) == 0 {
		return ""
	}
	return fmt.Sprintf(messagesIn(o.lang).Ignored,
		strings.Join(o.unknown[:min(len(o.unknown), 5)], ", "))
}

func (o *connectionOptions) readSchemas(key, value string) error {
	how, err := parseSchemas(value)
	if err != nil {
		return badOption(key, hint.Of(err), "%w", err)
	}
	o.schemas = how
	return nil
}

// readOne sets to to the value, which is a or b.
func readOne[T ~string](to *T, key, value string, a, b T) error {
	if *to = T(value); *to == a || *to == b {
		return nil
	}
	return badOption(key, fmt.Sprintf("use %s or %s", a, b), "%s is none that is known",
		text.Quote(value, 60))
}

func badOption(key, hint, format string, a ...any) error {
	return invalid(hint+"; the address of the server is in your client's settings",
		"in the query of this connection's address, "+key+": "+format, a...)
}

// tighten is w, and no longer than the connection wants.
func (o *connectionOptions) tighten(w usecase.Waits) usecase.Waits {
	w.Default = min(w.Default, o.wait)
	w.Max = min(w.Max, o.wait)
	return w
}

// servesGelab reports whether the connection finds gelab-zero's server.
func (e edge) servesGelab(o *connectionOptions) bool {
	return cmp.Or(o.compat, e.opts.Compat) == CompatGelab
}
