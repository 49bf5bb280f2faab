package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
)

// roads are the two ways to the other server.
func roads(t *testing.T, f func(t *testing.T, change func(*Options))) {
	t.Run("stdio", func(t *testing.T) { f(t, nil) })
	t.Run("http", func(t *testing.T) { f(t, overHTTP(t)) })
}

func TestWhatIsAllowedPassesThroughInBothDirections(t *testing.T) {
	roads(t, func(t *testing.T, change func(*Options)) {
		r := newRig(t, change)
		require.Contains(t, r.shake(`{"elicitation":{}}`), `"name":"other"`)
		require.Equal(t, `echo {"text":"<&> 你 \"x\"","big":12345678901234567890}`,
			strings.Replace(r.result(r.start("echo",
				`{"big":12345678901234567890,"text":"<&> 你 \"x\""}`, "")),
				`{"big":12345678901234567000,"text":"\u003c\u0026\u003e 你 \"x\""}`,
				`{"text":"<&> 你 \"x\"","big":12345678901234567890}`, 1))

		id := r.start("steps", "{}", `,"_meta":{"progressToken":"mine","else":1}`)
		for n := 1; n <= 3; n++ {
			line := r.next()
			require.Contains(t, line, `"progressToken":"mine"`)
			require.Contains(t, line, fmt.Sprintf(`"progress":%d`, n))
		}
		require.Equal(t, "steps {}", r.result(id))

		id = r.start("ask", "{}", "")
		question := r.next()
		require.Contains(t, question, `"method":"elicitation/create"`)
		var q struct{ ID json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(question), &q))
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept",`+
			`"content":{"x":"this"}}}`, q.ID))
		require.Equal(t, "accept map[x:this]", r.result(id))

		r.send(`{"jsonrpc":"2.0","id":99,"method":"no/such","params":{}}`)
		require.Contains(t, r.next(), `"code":-32601`)
		r.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		require.Contains(t, r.next(), `"result":{}`)
		require.Equal(t, "not allowed here: it is not for you",
			r.result(r.start("forbidden", "{}", "")))
	})
}

func TestACancelledCallIsCancelledBehindTheProxy(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	r.result(r.start("echo", `{"text":"x"}`, "")) // now the list of tools is known
	require.NoError(t, os.Remove(r.log))
	id := r.start("hang", "{}", "")
	require.Eventually(t, func() bool { return r.under() == 1 }, patience, time.Millisecond)
	r.send(fmt.Sprintf(
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	require.Eventually(t, func() bool { return r.done() == "cancelled" }, patience,
		time.Millisecond)
	require.Equal(t, `echo {"text":"x"}`, r.result(r.start("echo", `{"text":"x"}`, "")))
}

// under is how many requests are under way.
func (r *rig) under() int {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	n := 0
	for _, l := range r.p.links {
		l.conn.open.mu.do(func() { n += len(l.conn.open.byID) })
	}
	return n
}

func TestOtherDescriptionsAreAllThatChangesInAListOfTools(t *testing.T) {
	list := func(change func(*Options)) []map[string]any {
		r := newRig(t, change)
		r.shake("{}")
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		var m struct {
			Result struct{ Tools []map[string]any }
		}
		require.NoError(t, json.Unmarshal([]byte(r.next()), &m))
		return m.Result.Tools
	}
	was := list(nil)
	is := list(func(o *Options) {
		o.Descriptions = map[string]string{"send_message": "Sends <it>."}
	})
	for _, tool := range was {
		if tool["name"] == "send_message" {
			tool["description"] = "Sends <it>."
		}
	}
	require.Equal(t, was, is)
}

func TestAPersonDecidesAboutACall(t *testing.T) {
	for _, c := range []struct {
		decision inquiry.Decision
		want     string
		done     string
	}{
		{inquiry.Decision{Type: inquiry.Approve}, `send_message {"text":"hi"}`,
			`send_message {"text":"hi"}` + "\n"},
		{inquiry.Decision{Type: inquiry.Reject}, "refused by the other side", ""},
		{inquiry.Decision{Type: inquiry.Reject, Message: "not to her"},
			"refused by the other side: not to her", ""},
		{inquiry.Decision{Type: inquiry.Respond, Message: "I told her"}, "I told her", ""},
		{inquiry.Decision{Type: inquiry.Edit, EditedAction: &inquiry.EditedAction{
			Name: "send_message", Args: map[string]any{"text": "hello", "times": 2}}},
			"the other side changed the arguments, and this was carried out: send_message " +
				`{"text":"hello","times":2}` + "\n" + `send_message {"text":"hello","times":2}`,
			`send_message {"text":"hello","times":2}` + "\n"},
	} {
		t.Run(c.decision.Type+c.decision.Message, func(t *testing.T) {
			r := newRig(t, nil)
			r.shake("{}")
			id := r.start("send_message", `{"text":"hi"}`, "")
			q := r.asked()
			require.Equal(t, inquiry.KindApproval, q.Kind)
			require.Equal(t, inquiry.Sensitive, inquiry.As[inquiry.Approval](q).Severity)
			require.Equal(t, "Wanted by tester", q.Task)
			require.Equal(t, inquiry.Args{"text": "hi"},
				inquiry.As[inquiry.Approval](q).ActionRequests[0].Args)
			require.Empty(t, r.done())
			require.NoError(t, r.decide(q, c.decision))
			require.Equal(t, c.want, r.result(id))
			require.Equal(t, c.done, r.done())
		})
	}
}

// A rule that hands a call over has a person do it, and say what came of it.
func TestACallIsHandedOverToAPerson(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	id := r.start("by_hand", "{}", "")
	q := r.asked()
	require.Contains(t, q.Text, "by hand")
	require.Equal(t, []string{inquiry.Respond, inquiry.Reject},
		inquiry.As[inquiry.Approval](q).Allowed(0))
	require.Error(t, r.decide(q, inquiry.Decision{Type: inquiry.Approve}))
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Respond, Message: "all done"}))
	require.Equal(t, "all done", r.result(id))
	require.Empty(t, r.done())
}

func TestAnEditHasToFitTheToolsSchema(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	id := r.start("send_message", `{"text":"hi"}`, "")
	q := r.asked()
	for want, edited := range map[string]*inquiry.EditedAction{
		"text": {Name: "send_message", Args: map[string]any{"times": 2}},
		"times": {Name: "send_message",
			Args: map[string]any{"text": "x", "times": "y"}},
		"its name is \"shred\"": {Name: "shred", Args: map[string]any{"text": "x"}},
	} {
		require.ErrorContains(t, r.decide(q, inquiry.Decision{Type: inquiry.Edit,
			EditedAction: edited}), want)
	}
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Reject}))
	require.Equal(t, "refused by the other side", r.result(id))
	require.Empty(t, r.done())
}

// Other arguments of the same tool are another call: one that a rule forbids, that is asked about
// as graver, or that has a second reading, is not carried out by the first one's decision.
func TestTheRulesHoldForEditedArguments(t *testing.T) {
	for args, why := range map[string]string{
		`{"text":"rm -rf /"}`:          "it needs a decision about itself",
		`{"text":"pay"}`:               "it needs a decision about itself",
		`{"text":"ok","Text":"rm -f"}`: `"Text" could be read as "text"`,
		`{"text":"pwd"}`:               "",
	} {
		t.Run(args, func(t *testing.T) {
			r := newRig(t, func(o *Options) {
				var err error
				o.Guard, err = guard.New(&guard.Options{Lists: []guard.List{{Name: "rules",
					Rules: []guard.Rule{
						{Action: []string{"send_message"}, Decision: "deny",
							When: `args.text contains "rm"`},
						{Action: []string{"send_message"}, Decision: "ask", Severity: "critical",
							When: `args.text == "pay"`},
						{Action: []string{"send_message"}, Decision: "ask", Severity: "routine"},
					}}}})
				require.NoError(t, err)
			})
			r.shake("{}")
			id := r.start("send_message", `{"text":"ls"}`, "")
			edit, err := inquiry.ParseEdit(`{"name":"send_message","args":` + args + `}`)
			require.NoError(t, err)
			err = r.decide(r.asked(), inquiry.Decision{Type: inquiry.Edit, EditedAction: edit})
			if strings.Contains(why, "could be read") { // and the question stays open
				require.ErrorContains(t, err, why)
				return
			}
			require.NoError(t, err)
			told := r.result(id)
			if why == "" {
				require.Equal(t, "send_message "+args+"\n", r.done())
				return
			}
			require.Contains(t, told, "cannot be carried out: ")
			require.Contains(t, told, why)
			require.Empty(t, r.done())
		})
	}
}

// A whole number may be an id: it is shown, and comes back from an edit, to the digit.
func TestNumbersKeepTheirDigitsWhereAPersonDecides(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	id := r.start("send_message", `{"times":1234567890123456789,"text":"hi"}`, "")
	q := r.asked()
	require.Equal(t, `{"name":"send_message","args":{"text":"hi","times":1234567890123456789}}`,
		inquiry.As[inquiry.Approval](q).ActionRequests[0].Edited())
	action := inquiry.As[inquiry.Approval](q).ActionRequests[0]
	edit, err := inquiry.ParseEdit(strings.Replace(action.Edited(), "hi", "ho", 1))
	require.NoError(t, err)
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Edit, EditedAction: edit}))
	require.Contains(t, r.result(id), `send_message {"text":"ho","times":1234567890123456789}`)
}

func TestADestructiveToolIsAskedAbout(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	id := r.start("shred", "{}", "")
	require.Contains(t, inquiry.As[inquiry.Approval](r.asked()).Reason, "destroys something")
	require.NoError(t, r.decide(r.asked(), inquiry.Decision{Type: inquiry.Reject}))
	require.Contains(t, r.result(id), "refused")
}

func TestAClientThatGivesUpEarlyFetchesTheOutcome(t *testing.T) {
	wait := time.Duration(0)
	r := newRig(t, func(o *Options) { o.Wait = func(string) time.Duration { return wait } })
	r.shake("{}")
	first := r.result(r.start("send_message", `{"text":"hi"}`, ""))
	q := r.asked()
	require.Contains(t, first, "no answer yet")
	require.Contains(t, first, "Call send_message again with the same arguments")
	require.Contains(t, first, q.ID)
	require.Contains(t, r.result(r.start("send_message", `{ "text" : "hi" }`, "")), q.ID)
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Approve}))
	require.Empty(t, r.done())
	require.Equal(t, `send_message {"text":"hi"}`,
		r.result(r.start("send_message", `{"text":"hi"}`, "")))
	// an approval is used once
	again := r.result(r.start("send_message", `{"text":"hi"}`, ""))
	require.Contains(t, again, "no answer yet")
	require.NotContains(t, again, q.ID)
	require.Equal(t, 1, strings.Count(r.done(), "send_message"))
}

func TestTwoCallsAtOnceNeedTwoApprovals(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	r.start("send_message", `{"text":"hi"}`, "")
	r.start("send_message", `{"text":"hi"}`, "")
	require.Eventually(t, func() bool {
		list, err := r.ask.List(context.Background(), inquiry.Filter{Status: inquiry.Pending})
		return err == nil && len(list) == 2
	}, patience, time.Millisecond)
	require.NoError(t, r.decide(r.asked(), inquiry.Decision{Type: inquiry.Approve}))
	require.Contains(t, words(t, r.next()), "send_message")
	require.Equal(t, 1, strings.Count(r.done(), "\n"))
	require.NoError(t, r.decide(r.asked(), inquiry.Decision{Type: inquiry.Reject}))
	require.Contains(t, words(t, r.next()), "refused")
	require.Equal(t, 1, strings.Count(r.done(), "\n"))
}

func TestAnOldApprovalIsAskedAboutAgain(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Wait = func(string) time.Duration { return 0 }
		o.Expires = time.Nanosecond
	})
	r.shake("{}")
	r.result(r.start("send_message", `{"text":"hi"}`, ""))
	q := r.asked()
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Approve}))
	require.Contains(t, r.result(r.start("send_message", `{"text":"hi"}`, "")), "no answer yet")
	require.NotEqual(t, q.ID, r.asked().ID)
	require.Empty(t, r.done())
}

func TestProgressTellsOfTheQuestion(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Heartbeat = time.Millisecond })
	r.shake("{}")
	r.start("send_message", `{"text":"hi"}`, `,"_meta":{"progressToken":7}`)
	q := r.asked()
	last := 0.0
	for range 3 {
		var m struct {
			Params struct {
				ProgressToken int
				Progress      float64
				Meta          map[string]any `json:"_meta"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(r.next()), &m))
		require.Equal(t, 7, m.Params.ProgressToken)
		require.Greater(t, m.Params.Progress, last)
		require.Equal(t, q.ID, m.Params.Meta["inquiryId"])
		last = m.Params.Progress
	}
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Reject}))
	for !strings.Contains(r.next(), "refused by the other side") {
	}
}

func TestATokenThatIsNullWantsNoProgress(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	id := r.start("send_message", `{"text":"hi"}`, `,"_meta":{"progressToken":null}`)
	require.NoError(t, r.decide(r.asked(), inquiry.Decision{Type: inquiry.Reject}))
	require.Equal(t, "refused by the other side", r.result(id))
}

func TestAClientsUserDecidesInAForm(t *testing.T) {
	r := newRig(t, nil)
	r.shake(`{"elicitation":{}}`)
	id := r.start("send_message", `{"text":"hi"}`, "")
	question := r.next()
	require.Contains(t, question, `"enum":["approve","reject","respond"]`)
	var q struct{ ID json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(question), &q))
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept",`+
		`"content":{"decision":"approve","message":""}}}`, q.ID))
	require.Equal(t, `send_message {"text":"hi"}`, r.result(id))
	list, err := r.ask.List(context.Background(), inquiry.Filter{})
	require.NoError(t, err)
	require.Equal(t, inquiry.AuthorityClientUI, list[0].Resolution.Authority)
}

func TestAFormApprovesNothingThatItDoesNotShow(t *testing.T) {
	r := newRig(t, nil)
	r.shake(`{"elicitation":{}}`)
	id := r.start("send_message", `{"text":"`+strings.Repeat("x", 9000)+`","then":"wipe"}`, "")
	question := r.next()
	require.NotContains(t, question, "wipe")
	require.Contains(t, question, "These are not all of the arguments")
	require.Contains(t, question, `"enum":["reject","respond"]`)
	var q struct{ ID json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(question), &q))
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept",`+
		`"content":{"decision":"reject"}}}`, q.ID))
	require.Equal(t, "refused by the other side", r.result(id))
}

// What the rules see is what the other server gets.
func TestACallCannotSayTwoThings(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Wait = func(string) time.Duration { return 0 } })
	r.shake("{}")
	for params, want := range map[string]string{
		`{"name":"send_message","Name":"echo","arguments":{"text":"x"}}`: "not carried out",
		`{"Name":"echo","name":"send_message","arguments":{"text":"x"}}`: "not carried out",
		`{"name":"echo","name":"send_message","arguments":{"text":"x"}}`: "no answer yet",
	} {
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
		require.Contains(t, r.next(), want, params)
	}
	r.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call",` +
		`"params":{"name":"send_message","name":"echo","arguments":{"text":"a","text":"b"}}}`)
	require.Contains(t, r.next(), `echo {\"text\":\"b\"}`)
	for _, params := range []string{`{}`, `{"name":5}`, `{"name":"echo","arguments":[1]}`} {
		r.send(`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":` + params + `}`)
		require.Contains(t, r.next(), `"isError":true`, params)
	}
	require.NotContains(t, r.done(), "send_message")
}

func TestAServerThatDiesIsNamedAndStartedAgain(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	for range maxStarts - 1 {
		dead := r.result(r.start("die", "{}", ""))
		require.Contains(t, dead, "the server other: it has ended (exit status 3)")
		require.Contains(t, dead, "whether the call was carried out is not known")
		require.Contains(t, dead, "dying with [secret]")
		require.Equal(t, `echo {"text":"x"}`, r.result(r.start("echo", `{"text":"x"}`, "")))
	}
	r.result(r.start("die", "{}", ""))
	require.Contains(t, r.result(r.start("echo", `{"text":"x"}`, "")),
		"it has ended 5 times within a minute")
}

func TestSecretsOfTheServerStayWithIt(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM=garbage")
	})
	r.shake("{}")
	require.Equal(t, "it is [secret]", r.result(r.start("token", "{}", "")))
	dead := r.result(r.start("die", "{}", ""))
	require.Contains(t, dead, "it sent what is no answer 2 times")
	require.Contains(t, dead, "4711")
	require.NotContains(t, dead, secret)
}

func TestAServerThatHangsIsNamedAndEnded(t *testing.T) {
	old := limits
	limits.Probe = 50 * time.Millisecond
	t.Cleanup(func() { limits = old })
	r := newRig(t, func(o *Options) {
		o.Quiet = 50 * time.Millisecond
		o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM=deaf")
	})
	r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-11-25"}}`)
	require.Contains(t, r.next(), "the server other: it hangs")
}

// The answer to a POST is all that comes for its request.
func TestAServerThatAnswersAnotherRequestOverHTTPIsNamed(t *testing.T) {
	for id, want := range map[string]string{"4711": "it answered another request, with the id",
		`"2"`: "it answered another request", "null": `"ok":true`, `"1"`: `"ok":true`,
		"1.0": `"ok":true`, `"1.0"`: `"ok":true`} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"ok":true}}`, id)
		}))
		t.Cleanup(web.Close)
		r := newRig(t, func(o *Options) { o.Target = upstream.Target{URL: web.URL} })
		r.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
		require.Contains(t, r.next(), want)
	}
}

func TestAServerThatReadsNothingIsNamedAndEnded(t *testing.T) {
	old := limits
	limits.Probe = 50 * time.Millisecond
	t.Cleanup(func() { limits = old })
	r := newRig(t, func(o *Options) {
		o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM=blind")
	})
	r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-11-25","fill":"` + strings.Repeat("x", 1<<20) + `"}}`)
	require.Contains(t, r.next(), "the server other: it hangs: it reads nothing any more")
}

func TestAServerThatCannotBeStartedIsNamed(t *testing.T) {
	for want, target := range map[string]upstream.Target{
		"cannot be started": {Command: []string{filepath.Join(os.TempDir(), "no such program")}},
		"cannot be reached": {URL: "http://127.0.0.1:1/mcp"},
	} {
		r := newRig(t, func(o *Options) { o.Target = target })
		r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
		line := r.next()
		require.Contains(t, line, "the server other: it "+want)
		require.Contains(t, line, `"id":1`)
	}
}

// heard is an upstream that keeps what it is sent.
type heard struct {
	upstream.Conn
	methods []string
}

func (h *heard) Send(_ context.Context, m *message) error {
	h.methods = append(h.methods, m.Method)
	return nil
}

// A server that does not look at the id would carry out a call without one, and nobody was asked.
func TestACallWithoutAnIDReachesNoServer(t *testing.T) {
	p := newRig(t, nil).p
	l := newLink(&p.opts, p.dial, &p.sessions, "")
	up := &heard{}
	l.conn.up = up
	for _, method := range []string{"tools/call", "resources/read", "initialize", "",
		"Notifications/x", "notifications/roots/list_changed"} {
		_ = l.notify(t.Context(), upstream.Notification(method, nil))
	}
	require.Equal(t, []string{"notifications/roots/list_changed"}, up.methods)
	l.conn.up = nil
}
