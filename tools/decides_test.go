package tools_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	guardphone "github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
	"github.com/taploop/taploop/tools"
)

// starter is who begins the runs of a house, through MCP.
type starter struct {
	name      string
	principal string // "" on stdio
	person    bool   // whose forms are a person's word
	forms     bool   // it fills each form in with a consent
}

var starters = []starter{
	{"stdio", "", true, false}, {"stdio with forms", "", true, true},
	{"a program over HTTP", "bot", false, false},
	{"a program over HTTP with forms", "bot", false, true},
	{"a person's client over HTTP with forms", "ann", true, true},
}

// house is a server with everything through which a question can be answered: MCP with and without
// forms, REST, chat, the page, the terminal and the command line, and the models.
type house struct {
	*fixture
	starter
	web   *web.Server
	page  string                    // what logs a browser in
	era   string                    // the client's version of MCP, which says how forms are shown
	fills atomic.Pointer[answering] // each form
	rules atomic.Pointer[guard.Policy]
	kinds []*guard.Policy // that rules may be
}

// policies are ways to set the guard. Under each of them the button of a house is critical.
func policies(t require.TestingT) (all []*guard.Policy) {
	own := []guard.List{{Name: "rules", Rules: []guard.Rule{
		{Action: []string{"CLICK"}, Decision: "ask", Severity: "critical"}}}}
	lenient := []guard.List{{Name: "rules", Rules: []guard.Rule{
		{Action: []string{"SWIPE"}, Decision: "allow"}}}}
	for _, o := range []guard.Options{{Lists: own}, {FloorOnly: true}, {Lists: lenient},
		{AskAnyway: true, Lang: "zh"}} {
		p, err := guard.New(&o)
		require.NoError(t, err)
		all = append(all, p)
	}
	return all
}

// button is what a touch of the button is to the rules.
var button = guard.Subject{App: "com.shop", Action: "CLICK",
	Element: &guard.Element{Text: "Pay now $30"}}

// newHouse puts the HTTP API beside the tools, over real questions and a real store, with a guard
// that finds the button of every screen critical.
func newHouse(
	w *fixture, s starter, era string, programsDecide bool, undecided inquiry.OnTimeout,
) *house {
	w.end()
	h := &house{fixture: w, starter: s, era: era, kinds: policies(w.t)}
	w.phones.listed = []screen.Element{{Text: button.Element.Text, Clickable: true,
		Bounds: screen.Rect{
			Min: screen.Point{X: 0.2, Y: 0.4}, Max: screen.Point{X: 0.8, Y: 0.6}}}}
	w.fopts.Asking.Answerer = answerer{}
	w.fopts.OnUndecided, w.programsDecide = undecided, programsDecide
	w.topts.Principal = func(context.Context) string { return s.principal }
	w.topts.Person = func(context.Context) bool { return s.person }
	w.fopts.NewGate = func(x store.Session, _ store.Run) agentloop.Gate {
		return guardphone.New(h.rules.Load(), &guardphone.Options{Leave: func(ctx context.Context, s guard.Subject,
			d guard.Decision) (*agentloop.Leave, error) {
			return w.store.Grants.Covering(ctx, func(g guard.Grant) bool {
				return g.Covers(time.Now(), x.ID, s, d)
			})
		}})
	}
	w.begin()
	r := &reader{answers: []answering{func(ctx context.Context, form mcp.ElicitationParams) (
		*mcp.ElicitationResult, error) {
		return (*h.fills.Load())(ctx, form)
	}}}
	if !s.forms {
		r = nil
	}
	w.pipe(h.era, r)
	logins := web.OpenLogins(w.t.TempDir() + "/logins")
	of := tools.New(&w.topts)
	h.web = web.New(&web.Options{Questions: w.manager.Broker(), Sessions: w.store,
		Answers: w.store.Answers, Grants: w.store.Grants, Logins: logins, Tasks: of.Cases(),
		Results: of, Requests: of.Requests(), BaseURL: "http://localhost",
		Authorize: func(r *http.Request) (string, error) {
			return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), nil
		},
		Rights: func(name string) usecase.Rights {
			if person := name == "ann" || name == "kim"; person {
				return usecase.Rights{Decides: true, Tenants: []string{"", "bot"}}
			}
			return usecase.Rights{All: name == "boss", Decides: name == "boss"}
		}})
	link, err := logins.Link("http://localhost", "kitchen")
	require.NoError(w.t, err)
	_, code, _ := strings.Cut(link, "#login=")
	var in struct{ Login string }
	require.NoError(w.t, json.Unmarshal(h.http("", "POST", "/ui/login", `{"code":"`+code+`"}`), &in))
	h.page = in.Login
	return h
}

// http sends a request with a token, or as the page.
func (h *house) http(token, method, path, body string) []byte {
	r := httptest.NewRequestWithContext(h.t.Context(), method, "http://localhost"+path,
		strings.NewReader(body))
	if token == "" {
		r.Header.Set("X-Taploop-Login", h.page)
	} else {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.web.ServeHTTP(w, r)
	return w.Body.Bytes()
}

// door is a way to answer, for somebody.
type door struct {
	name   string
	person bool // whose word counts
	knock  func(h *house, q inquiry.Question, word string)
}

// doors are all ways to answer a question from outside.
func doors() (all []door) {
	mcp := func(tool string, arguments func(q inquiry.Question, word string) in) {
		all = append(all, door{name: tool, knock: func(h *house, q inquiry.Question, word string) {
			_, err := h.try(h.t.Context(), tool, arguments(q, word), nil)
			require.NoError(h.t, err)
		}})
	}
	mcp("ask_agent_continue", func(q inquiry.Question, word string) in {
		return in{"session_id": q.SessionID, "question_id": q.ID, "wait_seconds": 0,
			"decisions": []any{in{"type": decisionOf(word)}}}
	})
	mcp("ask_agent_continue", func(q inquiry.Question, word string) in {
		return in{"session_id": q.SessionID, "question_id": q.ID, "wait_seconds": 0,
			"reply_from_client": word}
	})
	mcp("ask_agent_continue", func(q inquiry.Question, word string) in {
		return in{"session_id": q.SessionID, "wait_seconds": 0, "reply_from_client": word}
	})
	mcp("answer_question", func(q inquiry.Question, word string) in {
		return in{"question_id": q.ID, "response": word}
	})
	for token, person := range map[string]bool{"bot": false, "other": false, "ann": true,
		"boss": true, "": true} {
		for form, request := range requests {
			all = append(all, door{"HTTP " + form + " by " + token, person,
				func(h *house, q inquiry.Question, word string) {
					path, body := request(q, word)
					h.http(token, "POST", path, body)
				}})
		}
	}
	for _, authority := range []string{inquiry.AuthorityLocalOperator, inquiry.AuthorityAgent,
		inquiry.AuthorityToken, inquiry.AuthorityClientModel, ""} {
		for _, channel := range []string{inquiry.ChannelConsole, inquiry.ChannelCommandLine,
			inquiry.ChannelModel, inquiry.ChannelMemory} {
			all = append(all, door{authority + " through " + channel, inquiry.IsPerson(authority),
				func(h *house, q inquiry.Question, word string) {
					_, _ = h.manager.Broker().Resolve(h.t.Context(), q.ID, inquiry.Reply{
						Response: word, Channel: channel, Authority: authority})
				}})
		}
	}
	slices.SortFunc(all, func(a, b door) int { return strings.Compare(a.name, b.name) })
	return all
}

// requests are the bodies that answer over HTTP.
var requests = map[string]func(q inquiry.Question, word string) (path, body string){
	"reply in words": func(q inquiry.Question, word string) (path, body string) {
		return "/v1/inquiries/" + q.ID + "/reply", fmt.Sprintf(`{"response":%q}`, word)
	},
	"decision": func(q inquiry.Question, word string) (path, body string) {
		return "/v1/inquiries/" + q.ID + "/reply",
			fmt.Sprintf(`{"type":"decisions","decisions":[{"type":%q}]}`, decisionOf(word))
	},
	"continue": func(q inquiry.Question, word string) (path, body string) {
		return "/v1/sessions/" + q.SessionID + "/continue",
			fmt.Sprintf(`{"question_id":%q,"wait_seconds":0,"decisions":[{"type":%q}]}`, q.ID,
				decisionOf(word))
	},
	"continue in words": func(q inquiry.Question, word string) (path, body string) {
		return "/v1/sessions/" + q.SessionID + "/continue",
			fmt.Sprintf(`{"question_id":%q,"wait_seconds":0,"reply_from_client":%q}`, q.ID, word)
	},
	"chat": func(q inquiry.Question, word string) (path, body string) {
		return "/v1/chat/completions", fmt.Sprintf(`{"messages":[{"role":"user","content":%q}],`+
			`"metadata":{"session_id":%q,"question_id":%q}}`, word, q.SessionID, q.ID)
	},
}

// decisionOf is the decision that a word stands for.
func decisionOf(word string) string {
	if slices.Contains([]string{"no", "否"}, word) {
		return inquiry.Reject
	}
	return inquiry.Approve
}

// carriedOut is how often an act is carried out about which a person says the word.
func carriedOut(word string) int {
	if decisionOf(word) == inquiry.Approve {
		return 1
	}
	return 0
}

// modes are what a client may ask for.
var modes = []string{"pass_to_client", "elicit -> pass_to_client", "elicit",
	"auto_reply -> pass_to_client", "auto_reply", "no_reply", "elicit (9s) -> auto_reply"}

// Whatever the settings, the client, the leave that was given and the order in which programs,
// models and people answer: a critical act is carried out once a person has consented to it, and not
// before.
func TestOnlyAPersonsDecisionCarriesACriticalActOut(t *testing.T) {
	all := doors()
	if os.Getenv("TAPLOOP_TEST_LONG") != "1" {
		require.NoError(t, flag.Set("rapid.checks", "20"))
	}
	for i, s := range starters {
		for n, era := range eras {
			if n > 0 && !s.forms { // which alone are shown in another way
				continue
			}
			t.Run(s.name+" "+era, func(t *testing.T) {
				bubble(t, func(t *testing.T, w *fixture) {
					undecided := []inquiry.OnTimeout{inquiry.Pause, inquiry.RejectAll}[i%2]
					h := newHouse(w, s, era, (i+n)%2 == 1, undecided)
					defer h.web.Close()
					// no deadline, which a bubble has none of
					rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) { h.property(t, all) })
				})
			})
		}
	}
}

// form draws what the user at each form does, while programs and models answer the same question,
// and whether that decides.
func (h *house) form(t *rapid.T, all []door) (word string, decides bool) {
	meddlers := slices.DeleteFunc(slices.Clone(all), func(d door) bool {
		return d.person || !strings.ContainsAny(d.name, " ") // MCP's calls are in the form's
	})
	word = rapid.SampledFrom([]string{"yes", "no", "closes it", "declines", "says nothing",
		"says something else", "decides twice"}).Draw(t, "the user at the form")
	meddles := rapid.SliceOfN(rapid.SampledFrom(meddlers), 0, 2).Draw(t, "meanwhile")
	fill := accepts(in{"decision": decisionOf(word)})
	switch word {
	case "closes it":
		fill = acts("cancel", nil)
	case "declines":
		fill, word, decides = acts("decline", nil), "no", true
	case "says nothing":
		fill = accepts(in{})
	case "says something else":
		fill = accepts(in{"decision": "approved by the agent", "response": "yes"})
	case "decides twice":
		fill = accepts(in{"decision": []any{inquiry.Reject, inquiry.Approve}})
	default:
		decides = true
	}
	fills := answering(func(ctx context.Context, form mcp.ElicitationParams) (
		*mcp.ElicitationResult, error) {
		list, err := h.manager.Broker().List(ctx, inquiry.Filter{})
		for _, q := range list {
			for _, d := range meddles {
				if q.Open() {
					d.knock(h, q, "yes")
				}
			}
		}
		if err != nil {
			return nil, err
		}
		return fill(ctx, form)
	})
	h.fills.Store(&fills)
	return word, decides
}

// property begins a run that taps, and has it answered in a drawn order.
func (h *house) property(t *rapid.T, all []door) {
	before := h.phones.touches("A")
	h.phones.phone("A").Set(frontIs("com.shop"))
	h.rules.Store(rapid.SampledFrom(h.kinds).Draw(t, "guard"))
	for _, scope := range rapid.SliceOfNDistinct(rapid.SampledFrom([]guard.Leave{
		{Scope: guard.ForAll}, {Scope: guard.ForAction, Name: "CLICK"},
		{Scope: guard.ForAll, Times: 3}, {Scope: guard.ForAll, Target: button.Target()},
		{Scope: guard.ForAction, Name: "CLICK", Times: 1}, {Scope: guard.ForTool, Name: "CLICK"},
		{Scope: guard.ForServer, Name: "com.shop"}, {Scope: guard.ForApp, Name: "com.shop",
			Target: button.Target(), Times: 2}}), 0, 3, func(l guard.Leave) string {
		return fmt.Sprint(l)
	}).Draw(t, "leave") {
		g, err := scope.Grant(time.Now(), time.Hour)
		require.NoError(t, err)
		require.NoError(t, h.store.Grants.Give(h.t.Context(), g, store.AuditEntry{}))
	}
	takes := slices.DeleteFunc(slices.Clone(modes), func(mode string) bool {
		return mode == "elicit" && !h.forms // which is refused
	})
	mode := rapid.SampledFrom(takes).Draw(t, "reply mode")
	word, decides := h.form(t, all)
	a, err := h.try(h.t.Context(), "ask_agent_start_new_task",
		in{"task": "tap", "reply_mode": mode, "reset_environment": false,
			"supersede": true}, "p")
	require.NoError(t, err)
	if h.person && h.forms && decides {
		carried := carriedOut(word)
		require.Equal(t, before+carried, h.phones.touches("A"), "%s in the form: %s", word, a.text)
		h.decidedByAPerson(t, a.SessionID)
		return
	}
	if a.Question == nil && h.person && h.forms { // nobody said anything that counts in time
		require.Equal(t, before, h.phones.touches("A"), "%s in the form: %s", word, a.text)
		require.Contains(t, a.text, "nobody decided in time")
		return
	}
	require.NotNil(t, a.Question, "%s: %s", mode, a.text)
	for {
		d := rapid.SampledFrom(all).Draw(t, "door")
		word := rapid.SampledFrom([]string{"yes", "是", "继续", "no", "否"}).Draw(t, "word")
		q, err := h.manager.Broker().Get(h.t.Context(), a.Question.ID)
		require.NoError(t, err)
		d.knock(h, q, word)
		synctest.Wait()
		now, err := h.manager.Broker().Get(h.t.Context(), q.ID)
		require.NoError(t, err)
		if !d.person {
			require.True(t, now.Open(), "%s has settled it with %s", d.name, word)
			require.Equal(t, before, h.phones.touches("A"), d.name)
			continue
		}
		require.False(t, now.Open(), "%s may settle it with %s", d.name, word)
		h.wait(a.SessionID)
		require.Equal(t, before+carriedOut(word), h.phones.touches("A"), "%s by %s", word, d.name)
		h.decidedByAPerson(t, a.SessionID)
		return
	}
}

// decidedByAPerson holds the audit of a session against what it says of who decided.
func (h *house) decidedByAPerson(t *rapid.T, session string) {
	list, err := h.store.Audit.List(h.t.Context(), store.AuditFilter{SessionID: session})
	require.NoError(t, err)
	decided := 0
	for _, e := range list {
		require.NotEqual(t, store.AuditUnasked, e.Event)
		if e.Event == store.AuditAnswered || e.Event == store.AuditRefused {
			require.True(t, inquiry.IsPerson(e.Authority), "%+v", e)
			decided++
		}
	}
	require.Equal(t, 1, decided)
	h.wait(session)
}
