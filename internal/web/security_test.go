package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// paths are all routes that want a credential, with the ids of a question and its session.
func paths(q inquiry.Question) map[string]string {
	s := "/v1/sessions/" + q.SessionID
	return map[string]string{
		"/v1/inquiries": "GET", "/v1/inquiries/" + q.ID: "GET",
		"/v1/inquiries/" + q.ID + "/reply": "POST", "/v1/events": "GET",
		"/v1/sessions": "GET", s: "GET", s + "/steps": "GET", s + "/frames/" + q.Frame: "GET",
		s + "/stop": "POST", s + "/pause": "POST", s + "/takeover": "POST",
		s + "/continue": "POST", s + "/message": "POST",
		"/v1/devices/A/live": "GET", "/v1/devices/A/input": "POST",
		"/v1/models": "GET", "/v1/models/taploop": "GET", "/v1/chat/completions": "POST",
		"/ui/logout": "POST",
	}
}

func TestEveryRouteWantsACredential(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	for path, method := range paths(q) {
		for name, edit := range map[string]func(*http.Request){
			"none": func(*http.Request) {},
			"wrong token": func(r *http.Request) {
				r.Header.Set("Authorization", "Bearer taploop_wrong")
			},
			"empty":       func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") },
			"wrong login": func(r *http.Request) { r.Header.Set("X-Taploop-Login", "wrong") },
			"no login":    func(r *http.Request) { r.Header.Set("X-Taploop-Login", "") },
			"an unused link": func(r *http.Request) {
				r.Header.Set("X-Taploop-Login", g.code())
			},
			"in the URL": func(r *http.Request) {
				r.URL.RawQuery = "token=" + g.ann + "&access_token=" + g.ann
			},
		} {
			a := g.send(method, path, "", `{"response":"x"}`, edit)
			require.Equal(t, 401, a.status, "%s %s with %s: %s", method, path, name, a.text)
			require.Equal(t, `Bearer realm="taploop"`, a.header.Get("WWW-Authenticate"))
		}
	}
	document := g.send("GET", "/v1/openapi.json", "", "", func(*http.Request) {})
	require.Equal(t, 200, document.status)
	g.untouched(q)
}

func TestStrangePagesAndNamesAreRefusedOnEveryRoute(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	all := paths(q)
	all["/ui"], all["/ui/app.js"], all["/ui/login"] = "GET", "GET", "POST"
	for path, method := range all {
		for name, edit := range map[string]func(*http.Request){
			"foreign origin": func(r *http.Request) {
				r.Header.Set("Origin", "https://evil.example")
			},
			"null origin":  func(r *http.Request) { r.Header.Set("Origin", "null") },
			"foreign host": func(r *http.Request) { r.Host = "evil.example" },
		} {
			a := g.send(method, path, g.ann, `{"response":"x"}`, edit)
			require.Equal(t, 403, a.status, "%s %s with %s", method, path, name)
			for header := range a.header {
				require.False(t, strings.HasPrefix(header, "Access-Control-"), header)
			}
		}
	}
	g.untouched(q)
}

func TestStateChangesArePostOnlyAndNobodyGetsAPreflight(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	for path, method := range paths(q) {
		for _, other := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
			if other == method || other == "POST" && path == "/v1/sessions" {
				continue
			}
			a := g.send(other, path, g.ann, "", func(r *http.Request) {
				r.Header.Set("Origin", g.http.URL)
				r.Header.Set("Access-Control-Request-Method", "POST")
			})
			require.Equal(t, 405, a.status, "%s %s", other, path)
			require.Empty(t, a.header.Get("Access-Control-Allow-Origin"))
		}
	}
	g.untouched(q)
}

func TestWhatBelongsToSomebodyElseIsAnsweredLikeTheUnknown(t *testing.T) {
	g := newRig(t, alone)
	q, own := g.waiting("ann", inquiry.Question{}), g.waiting("ben", inquiry.Question{})
	unknown := inquiry.Question{ID: inquiry.NewID(), SessionID: "nobodys", Frame: "nobodys.1.1"}
	tried := paths(unknown)
	for path, method := range paths(q) {
		if !strings.Contains(path, q.ID) && !strings.Contains(path, q.SessionID) {
			continue
		}
		foreign := g.send(method, path, g.ben, `{"response":"x"}`, nil)
		require.Equal(t, 404, foreign.status, "%s %s", method, path)
		path = strings.NewReplacer(q.ID, unknown.ID, q.Frame, unknown.Frame, q.SessionID,
			unknown.SessionID).Replace(path)
		require.Contains(t, tried, path)
		require.Equal(t, g.send(method, path, g.ben, `{"response":"x"}`, nil).text, foreign.text,
			"%s %s", method, path)
	}
	require.Equal(t, 404, g.get("/v1/sessions/"+own.SessionID+"/frames/"+q.Frame, g.ben).status)
	require.Equal(t, 404, g.get("/v1/sessions/"+own.SessionID+"/frames/..%2f..%2fdb", g.ben).status)
	require.NotContains(t, g.get("/v1/inquiries", g.ben).text, q.ID)
	require.NotContains(t, g.get("/v1/sessions", g.ben).text, q.SessionID)
	require.NotContains(t, g.listen(g.ben, "").want("snapshot").data, q.ID)
	require.Equal(t, 200, g.get("/v1/inquiries/"+q.ID, g.boss).status, "an operator sees all")
	g.untouched(q)
}

func TestAQuestionWithoutASessionIsForItsClientAndForOperators(t *testing.T) {
	g := newRig(t, alone)
	ann := g.listen(g.ann, "")
	ben := g.listen(g.ben, "")
	boss := g.listen(g.boss, "")
	for _, s := range []*stream{ann, ben, boss} {
		s.want("snapshot")
	}
	for _, client := range []string{"ann", "ben", ""} {
		_, err := g.broker.Open(t.Context(), inquiry.Question{Kind: inquiry.KindInquiry,
			Text: "Deploy of " + client, Client: client})
		require.NoError(t, err)
	}
	own, foreign := ann.want("inquiry.created"), ben.want("inquiry.created")
	require.Contains(t, own.data, "Deploy of ann")
	require.Contains(t, foreign.data, "Deploy of ben")
	for _, text := range []string{"Deploy of ann", "Deploy of ben", "Deploy of \""} {
		require.Contains(t, boss.want("inquiry.created").data, text)
		require.Contains(t, g.get("/v1/inquiries", g.boss).text, text)
	}
	list := g.get("/v1/inquiries", g.ann)
	require.Len(t, list.json(t)["inquiries"], 1)
	require.Contains(t, list.text, "Deploy of ann")
	snapshot := g.listen(g.ann, "").want("snapshot").data
	require.Contains(t, snapshot, "Deploy of ann")
	require.NotContains(t, snapshot, "Deploy of ben")

	path := "/v1/inquiries/" + idOf(t, own)
	require.Equal(t, 404, g.get(path, g.ben).status)
	require.Equal(t, 404, g.post(path+"/reply", g.ben, `{"response":"no"}`).status)
	require.Equal(t, 200, g.post(path+"/reply", g.ann, `{"response":"yes"}`).status)
	require.Equal(t, idOf(t, own), idOf(t, ann.want("inquiry.resolved")))
	require.Equal(t, 200, g.post("/v1/inquiries/"+idOf(t, foreign)+"/reply", g.ben,
		`{"response":"no"}`).status)
	require.Equal(t, idOf(t, foreign), idOf(t, ben.want("inquiry.resolved")),
		"nothing of ann's came between")
}

func TestAQuestionOfNobodyIsForOperators(t *testing.T) {
	g := newRig(t, nil)
	q, err := g.broker.Open(t.Context(),
		inquiry.Question{Kind: inquiry.KindInquiry, Text: "Deploy?"})
	require.NoError(t, err)
	require.Equal(t, 404, g.get("/v1/inquiries/"+q.ID, g.ann).status)
	require.Equal(t, 200, g.post("/v1/inquiries/"+q.ID+"/reply", g.boss,
		`{"response":"yes"}`).status)
}

func TestABodyThatIsTooLongIsRefusedOnEveryRouteThatTakesOne(t *testing.T) {
	g := newRig(t, nil)
	q, form := g.waiting("ann", inquiry.Question{}),
		g.waiting("ann", inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
	long := strings.Repeat("x", 256<<10)
	for path, body := range map[string]string{
		"/v1/inquiries/" + q.ID + "/reply":       `{"response":"` + long + `"}`,
		"/v1/inquiries/" + form.ID + "/reply":    `{"response":{"name":"` + long + `"}}`,
		"/v1/sessions/" + q.SessionID + "/stop":  `{"a":"` + long + `"}`,
		"/v1/sessions/" + q.SessionID + "/pause": `{"a":"` + long + `"}`,
		"/ui/login":                              `{"code":"` + long + `"}`,
	} {
		for name, edit := range map[string]func(*http.Request){
			"announced": func(*http.Request) {},
			"unannounced": func(r *http.Request) {
				r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(body))
			},
		} {
			a := g.send("POST", path, g.ann, body, edit)
			require.Equal(t, 413, a.status, "%s, %s: %s", path, name, a.text)
			require.Contains(t, a.text, "TOO_LARGE")
		}
	}
	g.untouched(q)
	g.untouched(form)
}

func TestABodyThatDoesNotArriveWholeIsABadRequest(t *testing.T) {
	g := newRig(t, nil)
	req := httptest.NewRequest("POST", g.http.URL+"/ui/login",
		iotest.ErrReader(os.ErrDeadlineExceeded))
	w := httptest.NewRecorder()
	g.http.Config.Handler.ServeHTTP(w, req)
	require.Equal(t, 400, w.Code, w.Body)
	require.Contains(t, w.Body.String(), "the body did not arrive whole")
}

func TestALinkLogsOneBrowserInOnce(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	body := `{"code":"` + g.code() + `"}`
	strangers := map[string]func(*http.Request){
		"another port": func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"the same site": func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "same-site")
		},
		"another site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"a foreign origin": func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
		},
	}
	for name, edit := range strangers {
		require.Equal(t, 403, g.send("POST", "/ui/login", "", body, edit).status, name)
	}
	a := g.send("POST", "/ui/login", "", body, nil)
	require.Equal(t, 200, a.status, a.text)
	require.Empty(t, a.header.Values("Set-Cookie"), "a cookie goes to every port")
	secret := a.json(t)["login"].(string)
	again := g.send("POST", "/ui/login", "", body, nil)
	require.Equal(t, 401, again.status, "a link works once")
	require.Contains(t, again.text, "LINK_USED")
	require.Contains(t, again.text, "taploop ui")

	loggedIn := func(r *http.Request) { r.Header.Set("X-Taploop-Login", secret) }
	require.Equal(t, 200, g.send("GET", "/v1/inquiries/"+q.ID, "", "", loggedIn).status)
	for name, edit := range strangers {
		a := g.send("POST", "/v1/inquiries/"+q.ID+"/reply", "", `{"response":"x"}`,
			func(r *http.Request) {
				loggedIn(r)
				edit(r)
			})
		require.Equal(t, 403, a.status, name)
	}
	for name, c := range map[string]*http.Cookie{
		"the present name": {Name: "X-Taploop-Login", Value: secret},
		"a former name":    {Name: "taploop_ui_" + g.port(), Value: secret},
	} {
		a := g.send("GET", "/v1/inquiries/"+q.ID, "", "", func(r *http.Request) { r.AddCookie(c) })
		require.Equal(t, 401, a.status, "a cookie of %s is worth nothing", name)
	}
	g.untouched(q)
	a = g.send("POST", "/v1/inquiries/"+q.ID+"/reply", "", `{"response":"x"}`, loggedIn)
	require.Equal(t, 200, a.status, a.text)
	require.Contains(t, a.text, `"channel":"page","authority":"human_token","by":"kitchen"`)

	require.Equal(t, 200, g.send("POST", "/ui/logout", "", "", loggedIn).status)
	require.Equal(t, 401, g.send("GET", "/v1/inquiries", "", "", loggedIn).status)
}

func TestThePageHasNothingInlineAndAStrictPolicy(t *testing.T) {
	g := newRig(t, nil)
	for accept, want := range map[string]string{
		"": "en", "zh-CN,zh;q=0.9,en;q=0.8": "zh", "en-US,en;q=0.9,zh;q=0.8": "en",
		"de, zh;q=0.5": "zh", "fr": "en", "zh;q=x, en;q=0": "en",
	} {
		a := g.send("GET", "/ui", "", "", func(r *http.Request) {
			r.Header.Set("Accept-Language", accept)
		})
		require.Equal(t, 200, a.status)
		require.Contains(t, a.text, `<html lang="`+want+`">`, accept)
		require.Contains(t, a.header.Get("Content-Security-Policy"),
			"default-src 'none'; script-src 'self'; style-src 'self'")
		require.NotContains(t, a.header.Get("Content-Security-Policy"), "unsafe")
		require.NotRegexp(t, `(?i)<script[^>]*>[^<]|<style|\son\w+=|\sstyle=|javascript:`, a.text)
	}
	scripts, err := filepath.Glob("../page/assets/*.js")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, name := range append(scripts, "texts.js") {
		a := g.get("/ui/"+filepath.Base(name), "")
		require.Equal(t, 200, a.status)
		require.NotRegexp(t,
			`innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function`, a.text,
			name)
	}
	for _, path := range []string{"/ui/..%2fpage.go", "/ui/index.html", "/ui/nothing.js",
		"/nothing", "/v1", "/v1/nothing"} {
		require.Equal(t, 404, g.get(path, "").status, path)
	}
}

// untouched fails the test when a question was answered.
func (g *rig) untouched(q inquiry.Question) {
	g.t.Helper()
	got, err := g.broker.Get(g.t.Context(), q.ID)
	require.NoError(g.t, err)
	require.Equal(g.t, inquiry.Pending, got.Status)
	require.Empty(g.t, g.runs.calls)
}

// code is the one of a new login link.
func (g *rig) code() string {
	g.t.Helper()
	link, err := g.logins.Link(g.http.URL+"/", "kitchen")
	require.NoError(g.t, err)
	base, code, found := strings.Cut(link, "#login=")
	require.True(g.t, found)
	require.Equal(g.t, g.http.URL+"/ui", base)
	return code
}

func (g *rig) port() string { return g.http.URL[strings.LastIndex(g.http.URL, ":")+1:] }
