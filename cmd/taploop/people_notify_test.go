//go:build unix

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

// notification is what a notification's receiver got.
type notification struct {
	path, id, body string
	header         http.Header
}

func (p notification) field(t testing.TB, name string) any {
	var m struct {
		Type string
		Data map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(p.body), &m), "%s", p.body)
	if name == "type" {
		return m.Type
	}
	return m.Data[name]
}

// notifyReceiver keeps what it is notified of.
type notifyReceiver struct {
	t     testing.TB
	url   string
	hooks chan notification // with a good signature
	ntfy  chan notification
}

const hookKey = "0123456789abcdef0123456789abcdef"

func newNotifyReceiver(t testing.TB) *notifyReceiver {
	o := &notifyReceiver{t: t, hooks: make(chan notification, 1000),
		ntfy: make(chan notification, 1000)}
	s := httptest.NewServer(o)
	t.Cleanup(s.Close)
	o.url = s.URL
	return o
}

func (o *notifyReceiver) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p := notification{r.URL.Path, r.Header.Get("webhook-id"), string(b), r.Header}
	if !strings.HasPrefix(p.path, "/hook") {
		o.ntfy <- p
		return
	}
	mac := hmac.New(sha256.New, []byte(hookKey))
	_, _ = io.WriteString(mac, p.id+"."+r.Header.Get("webhook-timestamp")+"."+p.body)
	if want := "v1," +
		base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.Header.Get("webhook-signature") != want {
		o.t.Errorf("signed %q, want %q", r.Header.Get("webhook-signature"), want)
	}
	o.hooks <- p
}

// notifies lets the servers of the environment notify the receiver.
func (b *testEnv) notifies(o *notifyReceiver, more string) {
	dir := filepath.Join(b.dir, "config")
	require.NoError(b.t, os.MkdirAll(dir, 0o700))
	require.NoError(b.t, writeFile(filepath.Join(dir, "taploop.yaml"), "notify:\n"+
		"  webhooks: [{url: "+o.url+"/hook-hush, secret_env: TAPLOOP_WEBHOOK_SECRET}]\n"+
		"  ntfy: {url: "+o.url+"/topic-hush}\n"+more))
	b.env = append(b.env, "TAPLOOP_NOTIFY_NTFY_TOKEN=tk_hush",
		"TAPLOOP_WEBHOOK_SECRET=whsec_"+base64.StdEncoding.EncodeToString([]byte(hookKey)))
}

// gets waits for a notification.
func (b *testEnv) gets(ch <-chan notification) (p notification) {
	b.t.Helper()
	done := make(chan struct{})
	// Ends with the test at the latest, when p is read no more.
	go func() { p = <-ch; close(done) }()
	b.life.await(b.t, done, "no notification")
	return p
}

func TestPeopleOutsideAreToldOnceAlsoOverAKillAndBySeveralServers(t *testing.T) {
	t.Parallel()
	b, o := newTestEnv(t, demoTask, ""), newNotifyReceiver(t)
	b.notifies(o, "")
	s, token := b.openAs("laptop", modern)
	asked := s.asks(b.task.Goal)
	link := strings.TrimSuffix(s.url, "/mcp") + "/ui#question=" + asked.Question.ID
	created := b.gets(o.hooks)
	require.Equal(t, "inquiry.created", created.field(t, "type"))
	require.Equal(t, "Which size do you wear?", created.field(t, "text"))
	require.Equal(t, link, created.field(t, "url"))
	push := b.gets(o.ntfy)
	require.Equal(t, "Which size do you wear?", push.body)
	require.Equal(t, link, push.header.Get("Click"))
	require.Equal(t, "Bearer tk_hush", push.header.Get("Authorization"))

	second := b.open(route{era: modern}) // it would tell, too, if it were the only one
	other := b.audited(asked.Question.ID, 2)
	s.kill()
	next, url := b.serve()
	v := newHTTPClient(t, url, token)
	status, body := v.answer(asked.Question.ID, "size-hush")
	require.Equal(t, 200, status, "%v", body)
	settled := b.gets(o.hooks)
	require.Equal(t, "msg_"+asked.Question.ID+"_resolved", settled.id, "and nothing was told again")
	by := settled.field(t, "resolution").(map[string]any)
	require.Equal(t, []any{"http", "token", "laptop"},
		[]any{by["channel"], by["authority"], by["by"]})
	require.Empty(t, o.ntfy)

	require.NotContains(t, created.body+settled.body+push.body, "hush")
	shown, _, code := b.run("config", "show")
	require.Zero(t, code)
	asJSON, _, code := b.run("config", "show", "--json")
	require.Zero(t, code)
	audit, _, code := b.run("audit", "--json", "--question", other[0].QuestionID)
	require.Zero(t, code)
	require.NotContains(t, shown+asJSON+strings.ReplaceAll(audit, "size-hush",
		"")+s.stderr.String()+next.stderr.String()+second.stderr.String(), "hush")
}

// audited waits until so many deliveries are noted, and returns them.
func (b *testEnv) audited(questionID string, n int) (list []store.AuditEntry) {
	b.t.Helper()
	db, _ := b.folder()
	done := make(chan struct{})
	go func() { // ends with the deliveries, or with the test
		defer close(done)
		for len(list) < n && b.t.Context().Err() == nil {
			list = nil
			all, err := db.Audit.List(b.t.Context(), store.AuditFilter{QuestionID: questionID})
			if err != nil {
				return
			}
			for _, e := range all {
				if e.Event == store.AuditNotified {
					list = append(list, e)
				}
			}
		}
	}()
	b.life.await(b.t, done, "no delivery is noted")
	require.Len(b.t, list, n)
	return list
}

func TestWhatWasNotToldBeforeAKillIsToldAfterIt(t *testing.T) {
	t.Parallel()
	b, o := newTestEnv(t, demoTask, ""), newNotifyReceiver(t)
	b.notifies(o, "  text: false\n  base_url: https://phones.example/taploop/\n")
	b.env = append(b.env, "HTTP_PROXY=", "NO_PROXY=*")
	back := b.env
	// Nobody is there.
	b.env = append(b.env, "TAPLOOP_NOTIFY_NTFY_URL=http://127.0.0.1:1/topic-hush")
	s := b.open(route{era: modern})
	asked := s.asks(b.task.Goal)
	require.Equal(t, "inquiry.created", b.gets(o.hooks).field(t, "type"))
	b.audited(asked.Question.ID, 1)
	s.stderr.await(t, `(did not get through.*connection refused)`)
	require.NotContains(t, s.stderr.String(), "hush")
	s.kill()

	b.env = back
	b.open(route{era: modern})
	push := b.gets(o.ntfy)
	require.NotContains(t, push.body, "Which size")
	require.Equal(t, "https://phones.example/taploop/ui#question="+asked.Question.ID,
		push.header.Get("Click"))
	b.audited(asked.Question.ID, 2)
	require.Empty(t, o.hooks)
}

func TestNotificationsThatCannotWorkAreAUsageErrorOfTheServer(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_WEBHOOK_SECRET=hush")
	require.NoError(t, os.MkdirAll(filepath.Join(b.dir, "config"), 0o700))
	require.NoError(t, writeFile(filepath.Join(b.dir, "config", "taploop.yaml"),
		"notify: {webhooks: [{url: https://a.example/x, secret_env: TAPLOOP_WEBHOOK_SECRET}]}"))
	_, errs, code := b.run("serve")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs,
		"taploop: notifications: the secret of the webhook at a.example: "+
			"it does not begin with whsec_\n"+
			"  try: make one: echo whsec_$(openssl rand -base64 32)")
	require.NotContains(t, errs, "hush")
}
