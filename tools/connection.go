package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/words"
)

// connectionOptions are what a connection sets in the query of its URL, see [Connected].
type connectionOptions struct {
	descriptions map[string]string // by TOOL or TOOL.PARAM
	lang         string            // one of the languages
	mode         channel.Mode
	compat       Compat  // "" is the server's own
	schemas      Schemas // the same
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
//	schemas=brief|full    how much the list of tools says, see [Schemas]
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

// readConnectionOptions reads the query of a connection's URL. Unknown keys are
// ignored. Every call of the connection reports an error in the known ones.
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
		return readOne(&o.schemas, key, value, SchemasFull, SchemasBrief)
	case key == "compat":
		return readOne(&o.compat, key, value, CompatGelab, CompatOff)
	case key == "wait_seconds":
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !(n >= 0 && n <= 3600) {
			return badOption(key, "use a number of seconds from 0 to 3600", "%s is none",
				text.Quote(value, 60))
		}
		o.wait = time.Duration(n * float64(time.Second))
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
