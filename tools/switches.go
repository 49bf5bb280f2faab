package tools

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
)

// Switches are what a connection sets in the query of its URL:
//
//	desc.TOOL=TEXT        the description of a tool, for this connection
//	desc.TOOL.PARAM=TEXT  that of an argument
//	description=TEXT      the same as desc.send_inquiry
//	lang=en|zh            of our own sentences around results, questions and forms
//	reply_mode=MODE       for calls that name no mode, the server's own one, or one in which no person is asked
//	wait_seconds=N        the longest that a call waits
//
// They tighten what the server allows and never loosen it. A sentence of ours stays at the end of every description.
type Switches struct {
	words  map[string]string // by TOOL or TOOL.PARAM
	tongue *tongue           // nil is the server's own
	mode   runs.ReplyMode
	wait   *time.Duration
	err    error // what is wrong with them; every call is refused with it
}

// What a description may have at most, in characters.
const (
	maxWords      = 4000
	maxParamWords = 1000
)

type switchesKey struct{}

// Connected is the context of a request with the switches in its URL. It is for mcptransport.Options.Context.
func Connected(ctx context.Context, r *http.Request) context.Context {
	if r.URL.RawQuery == "" {
		return ctx
	}
	return WithSwitches(ctx, ReadSwitches(r.URL.Query()))
}

// WithSwitches is the context of a request of a connection with these switches.
func WithSwitches(ctx context.Context, s *Switches) context.Context {
	return context.WithValue(ctx, switchesKey{}, s)
}

// ReadSwitches reads the query of a connection's URL. Keys that are none of ours are left alone; what is wrong with ours is
// told by every call of the connection.
func ReadSwitches(query url.Values) *Switches {
	s := &Switches{words: map[string]string{}}
	for key, values := range query {
		if err := s.read(key, values[len(values)-1]); err != nil && s.err == nil {
			s.err = err
		}
	}
	return s
}

func (s *Switches) read(key, value string) error {
	name, described := strings.CutPrefix(key, "desc.")
	switch {
	case key == "description":
		name, described = inquiryTool, true
		fallthrough
	case described:
		most := maxWords
		if strings.Contains(name, ".") {
			most = maxParamWords
		}
		if value = text.Cut(clean(value), most); value != "" {
			s.words[name] = value
		}
	case key == "lang":
		if s.tongue = tongues[value]; s.tongue == nil {
			return badSwitch(key, "use en or zh", "%s is none of the languages", brief(value))
		}
	case key == "reply_mode":
		mode, err := runs.ParseReplyMode(value)
		if err != nil || value == "" {
			return badSwitch(key, "use pass_to_client, elicit or manual_reply", "%s is no reply mode", brief(value))
		}
		if !personal(mode) {
			return badSwitch(key, "use pass_to_client, elicit or manual_reply, or leave it to each call", "under %s not only people are asked, and an address may only tighten", mode)
		}
		s.mode = mode
	case key == "wait_seconds":
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !(n >= 0 && n <= maxSeconds) {
			return badSwitch(key, "use a number of seconds from 0 to 3600", "%s is none", brief(value))
		}
		d := time.Duration(n * float64(time.Second))
		s.wait = &d
	}
	return nil
}

func badSwitch(key, mend, format string, a ...any) error {
	return invalid(mend+"; the address of the server is in your client's settings", "in the query of this connection's address, "+key+": "+format, a...)
}

// clean is a text without control characters, and without those that change how others look.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, s))
}

// personal reports whether a person is asked at every door of the mode.
func personal(m runs.ReplyMode) bool {
	doors := m.Doors()
	return len(doors) > 0 && !slices.ContainsFunc(doors, func(d runs.ReplyMode) bool {
		return d != runs.PassToClient && d != runs.Elicit && d != runs.ManualReply
	})
}

func switchesOf(ctx context.Context) *Switches {
	if s, ok := ctx.Value(switchesKey{}).(*Switches); ok && s != nil {
		return s
	}
	return &Switches{}
}

// waits are w, and no longer than the connection wants.
func (s *Switches) waits(w Waits) Waits {
	if s.wait != nil {
		w.Default, w.Max, w.MaxProgress = min(w.Default, *s.wait), min(w.Max, *s.wait), min(w.MaxProgress, *s.wait)
	}
	return w
}

// replyMode is the mode of a call, tightened. usual is the server's own.
func (s *Switches) replyMode(m, usual runs.ReplyMode) runs.ReplyMode {
	if s.mode == "" || personal(m) && m != usual {
		return m
	}
	return s.mode
}

// check reports what is wrong with the switches, before any tool of the connection is called.
func (t *Tools) check(s *Switches) error {
	if s.err != nil {
		return s.err
	}
	for name := range s.words {
		of, argument, deeper := strings.Cut(name, ".")
		d, found := t.byName[of]
		if !found {
			return badSwitch("desc", "use desc.TOOL or desc.TOOL.ARGUMENT with a tool's name", "there is no tool %s", brief(of))
		}
		if deeper && !slices.ContainsFunc(d.params, func(p param) bool { return p.name == argument }) {
			return badSwitch("desc", "the arguments of "+of+" are: "+names(d.params), "%s has no argument %s", of, brief(argument))
		}
	}
	return nil
}

// redescribe gives the tools the descriptions of the connection. It is a tool filter of mcp-go's.
func (t *Tools) redescribe(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	s := switchesOf(ctx)
	if len(s.words) == 0 {
		return list
	}
	ours := s.tongue
	if ours == nil {
		ours = tongues["en"]
	}
	list = slices.Clone(list)
	for i := range list {
		if d, found := t.byName[list[i].Name]; found {
			list[i].Description, list[i].RawInputSchema = s.describe(d, list[i], ours)
		}
	}
	return list
}

// describe is a tool's description and the schema of its arguments, with the connection's words.
func (s *Switches) describe(d tool, as mcp.Tool, ours *tongue) (string, json.RawMessage) {
	words, changed := s.words[d.name]
	if !changed {
		words = as.Description
	}
	params := slices.Clone(d.params)
	for i, p := range params {
		if w := s.words[d.name+"."+p.name]; w != "" {
			params[i].words, changed = w+" "+ours.paramSafety, true
		}
	}
	if !changed {
		return as.Description, as.RawInputSchema
	}
	return words + "\n" + ours.safety, schema(params)
}
