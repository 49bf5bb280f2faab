package web_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// keeps is a rig with leave to do everything for a while.
func keeps(t *testing.T) *rig {
	g := newRig(t, nil)
	leave, err := guard.NewGrant(guard.ForApp, "com.shop", time.Now(), time.Hour)
	require.NoError(t, err)
	leave.By = "Kim"
	require.NoError(t, g.store.Grants.Give(t.Context(), leave, store.AuditEntry{}))
	return g
}

func TestWhatGoesOnWithoutAskingIsListedAndEndedOverHTTP(t *testing.T) {
	g := keeps(t)
	require.Equal(t, 403, g.get("/v1/grants", g.ann).status, "a program")
	require.Equal(t, 403, g.post("/v1/grants/end", g.ann, `{"scope":"all"}`).status)
	a := g.get("/v1/grants", g.boss)
	require.Equal(t, 200, a.status, a.text)
	require.Contains(t, a.text, `"scope":"app","name":"com.shop"`)
	require.Equal(t, 400, g.post("/v1/grants/end", g.boss, `{}`).status)
	a = g.post("/v1/grants/end", g.boss, `{"scope":"app","name":"com.shop"}`)
	require.Contains(t, a.text, `"name":"com.shop"`)
	require.Equal(t, `{"grants":[]}`+"\n", g.get("/v1/grants", g.boss).text)
	audit, err := g.store.Audit.List(t.Context(),
		store.AuditFilter{Event: store.AuditGrantEnded})
	require.NoError(t, err)
	require.Equal(t, []string{"boss", "http", "human_token"},
		[]string{audit[0].By, audit[0].Channel, audit[0].Authority})
}

func TestAnAnswerIsRememberedAndForgottenOverHTTP(t *testing.T) {
	g := newRig(t, nil)
	ask := inquiry.Question{Body: &inquiry.Ask{Options: []string{"red", "blue"}}}
	q := g.waiting("ann", ask)
	path := "/v1/inquiries/" + q.ID
	require.Contains(t, g.get(path, g.ann).text, `"remember_for":["session","always"]`)
	a := g.post(path+"/reply", g.ann, `{"response":"red","remember":"always"}`)
	require.Equal(t, 400, a.status, a.text)
	require.Contains(t, a.text, "only a person")
	a = g.post(path+"/reply", g.boss, `{"response":"red","remember":"always","reply_id":"r"}`)
	require.Equal(t, 200, a.status, a.text)
	a = g.post(path+"/reply", g.boss, `{"response":"red","reply_id":"r"}`)
	require.Equal(t, 422, a.status, "another reply")

	next, err := g.broker.Get(t.Context(), g.waiting("ann", ask).ID)
	require.NoError(t, err)
	require.Equal(t, q.ID, next.Resolution.Recalled)
	require.Equal(t, 404, g.post("/v1/answers/"+q.ID+"/forget", g.ben, "").status, "not his")
	require.Equal(t, `{"answers":[]}`+"\n", g.get("/v1/answers", g.ben).text)
	a = g.get("/v1/answers", g.ann)
	require.Contains(t, a.text, `"uses":1`)
	require.Equal(t, 200, g.post("/v1/answers/"+q.ID+"/forget", g.ann, "").status)
	require.Equal(t, 404, g.post("/v1/answers/"+q.ID+"/forget", g.boss, "").status)
	next, err = g.broker.Get(t.Context(), g.waiting("ann", ask).ID)
	require.NoError(t, err)
	require.True(t, next.Open(), "it is asked again")
}

func TestWhatStandsIsShownAndEndedOnThePage(t *testing.T) {
	t.Parallel()
	g := keeps(t)
	p := g.login(chrometest.Chromium(t), "kitchen")
	const list = `document.querySelector("#standing-list")`
	p.until(list + `.textContent.includes("The app com.shop: nothing is asked")`)
	p.press("", "Go on without asking") // a person says in what, and for how long
	p.until(named("", "select", "In") + " !== undefined")
	p.choose("In", "app")
	p.until(named("", "input", "App") + " !== undefined")
	p.do(js(named("", "input", "App")+".focus()"), chromedp.KeyEvent("com.mail"))
	p.choose("For", "60")
	p.do(js(`document.querySelector(".give button.danger").click()`))
	p.until(list + `.textContent.includes("The app com.mail: nothing is asked")`)
	given, err := g.store.Grants.List(t.Context(), nil)
	require.NoError(t, err)
	i := slices.IndexFunc(given, func(x guard.Grant) bool { return x.Name == "com.mail" })
	require.Equal(t, "kitchen", given[i].By)
	require.WithinDuration(t, time.Now().Add(time.Hour), given[i].Until, 10*time.Minute)
	q := g.waiting("ann", inquiry.Question{Body: &inquiry.Ask{Options: []string{"red", "blue"}}})
	p.until(card(q, ".again select") + " !== null")
	p.do(js(card(q, ".again select")+`.value = "session"`), js(card(q, "button.option")+".click()"))
	p.until(list + `.textContent.includes("is answered with “red” in session ` + q.SessionID + `")`)
	for left := 2; left >= 0; left-- {
		p.do(js(list + `.querySelector("button").click()`))
		p.until(fmt.Sprintf("%s.children.length === %d", list, left))
	}
	given, err = g.store.Grants.List(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, given)
	answers, err := g.store.Answers.List(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, answers)
}

func TestWhoDeletesASessionIsInTheAudit(t *testing.T) {
	g := newRig(t, nil)
	run := g.running("order tea", 1)
	path := "/v1/sessions/" + run.SessionID + "/delete"
	a := g.post(path, g.boss, "")
	require.Equal(t, 409, a.status, a.text)
	require.Contains(t, a.text, "stop the session first", "it is under way")
	g.ends(run, store.Change{To: store.Cancelled})
	require.Equal(t, 200, g.post(path, g.boss, "").status)
	audit, err := g.store.Audit.List(t.Context(), store.AuditFilter{SessionID: run.SessionID})
	require.NoError(t, err)
	require.NotEmpty(t, audit)
	last := audit[len(audit)-1]
	require.Equal(t, []string{"deleted", "boss", inquiry.ChannelHTTP, inquiry.AuthorityHumanToken},
		[]string{string(last.Event), last.By, last.Channel, last.Authority})
}
