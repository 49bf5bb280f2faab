package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mirror"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/token"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
	"github.com/taploop/taploop/tools/result"
)

type ctx = context.Context

// rig is a server over the real broker, the real store and real tokens, on a real socket.
type rig struct {
	t       testing.TB
	dir     string
	store   *store.Store
	broker  *inquiry.Broker
	logins  *web.Logins
	web     *web.Server
	http    *httptest.Server
	ann     string // a token of the principal "ann"
	ben     string // one of "ben"
	boss    string // one of an operator
	kim     string // one of a person, for ann
	runs    *stopper
	tasks   *toolbox
	probe   *stream // hears all, from the beginning
	hands   *hands
	down    atomic.Bool // the server answers nothing but 502
	refused sync.Map    // the paths that it did not answer meanwhile
}

// hands show phones in memory. They may be touched once they are taken over.
type hands struct {
	mirror *mirror.Mirror
	phone  *devicetest.Fake // with the serials A and emu-1
	taken  atomic.Bool
	holder atomic.Value // the client whose session has the phones, as a string
	fails  atomic.Value // the error of touches, if there is one
	mu     sync.Mutex
	kinds  []string
}

// shownPhone is a phone in memory as a mirror wants it.
type shownPhone struct{ *devicetest.Fake }

func (shownPhone) Close() error { return nil }

func newHands() *hands {
	h := &hands{phone: devicetest.NewFake()}
	h.mirror = mirror.New(&mirror.Options{
		Open: func(_ ctx, serial string) (mirror.Phone, error) {
			if serial != "A" && serial != "emu-1" {
				return nil, errors.New("no phone " + strconv.Quote(serial))
			}
			return shownPhone{h.phone}, nil
		}})
	return h
}

func (h *hands) Watch(serial string) *mirror.Viewer { return h.mirror.Watch(serial) }

// Sees refuses owners whose session does not have the phone.
func (h *hands) Sees(_ ctx, _ string, of store.Owners) error {
	if client, _ := h.holder.Load().(string); !of.Has(client) {
		return runs.Refuse("NOTHING_TO_TAKE_OVER", "start a task on it", "another has it")
	}
	return nil
}

func (h *hands) Touch(ctx ctx, t web.Touch, g actions.Gesture) error {
	if err := h.Sees(ctx, t.Serial, t.Owners); err != nil {
		return err
	}
	if !h.taken.Load() {
		return runs.Refuse("NOTHING_TO_TAKE_OVER", "take it over", "nobody has it")
	}
	if err, is := h.fails.Load().(error); is {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kinds = append(h.kinds, t.Kind+" by "+t.By.Name)
	return h.mirror.Touch(ctx, t.Serial, g.Do)
}

// toolbox carries out what requests want of runs, on the store.
type toolbox struct {
	store    *store.Store
	runs     *stopper
	mu       sync.Mutex
	bare     bool         // there are no phones and no skills
	crowd    int          // so many phones more
	noPhones error        // why phones cannot be listed
	yard     *yard        // the machines, of which another one has the phone C; nil is no farm
	front    atomic.Value // the app in front of phone A, a string
	listed   atomic.Int64 // how often phones were listed
	looked   atomic.Int64 // how often with what they show
	calls    []any        // the requests of the calls, as structs
	next     []outcome    // of the next calls; then how the session stands
}

// outcome is what comes of a call.
type outcome struct {
	status runs.Status
	err    error
	asked  []inquiry.Question // by the agents of the session
}

// stands is a session whose run is in the state, with why it does not go on.
func stands(id string, state store.State, reason agentloop.StopReason,
	q *inquiry.Question) outcome {
	return outcome{status: runs.Status{Session: store.Session{ID: id},
		Run: store.Run{State: state}, Reason: reason, Question: q}}
}

func (x *toolbox) do(ctx ctx, id string, request any) (*usecase.Outcome, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.calls = append(x.calls, request)
	if len(x.next) > 0 {
		out := x.next[0]
		x.next = x.next[1:]
		return &usecase.Outcome{Status: out.status, Asked: out.asked}, out.err
	}
	run, err := x.store.LatestRun(ctx, id)
	if err != nil {
		return nil, runs.Refuse(runs.SessionNotFound, "m", "no")
	}
	return &usecase.Outcome{Status: runs.Status{Session: store.Session{ID: id}, Run: run}}, nil
}

func (x *toolbox) Start(ctx ctx, _ *usecase.Call, a usecase.Start) (*usecase.Outcome, error) {
	return x.do(ctx, "", a)
}

func (x *toolbox) Delegate(ctx ctx, _ *usecase.Call, a usecase.Delegate) (*usecase.Outcome,
	error) {
	return x.do(ctx, "", a)
}

func (x *toolbox) RunSkill(ctx ctx, _ *usecase.Call, a usecase.RunSkill) (*usecase.Outcome,
	error) {
	return x.do(ctx, "", a)
}

func (x *toolbox) Skills() ([]usecase.ListedSkill, error) {
	if x.bare {
		return nil, nil
	}
	params := `{"type":"object","properties":{"title":{"type":"string","title":"Title"},` +
		`"copies":{"type":"integer","default":1},"kind":{"enum":["list","text"]}}}`
	return []usecase.ListedSkill{{Name: "note", Steps: 6, Description: "Writes a note.",
		Params: json.RawMessage(params)}, {Name: "torn", Problem: "line 3: no steps"}}, nil
}

func (x *toolbox) Continue(ctx ctx, _ *usecase.Call, a usecase.Continue) (*usecase.Outcome,
	error) {
	return x.do(ctx, a.SessionID, a)
}

func (x *toolbox) Message(ctx ctx, _ *usecase.Call, a usecase.Message) (*usecase.Outcome, error) {
	return x.do(ctx, a.SessionID, a)
}

func (x *toolbox) Wait(ctx ctx, _ *usecase.Call, a usecase.Wait) (*usecase.Outcome, error) {
	return x.do(ctx, a.SessionID, a)
}

func (x *toolbox) ListPhones(_ ctx, _ *usecase.Call, states bool) ([]usecase.Phone, error) {
	if x.bare {
		return nil, nil
	}
	x.listed.Add(1)
	if states {
		x.looked.Add(1)
	}
	a := usecase.Phone{PhoneInfo: runs.PhoneInfo{Serial: "A", State: "device", Usable: true}}
	if app, known := x.front.Load().(string); known && states {
		a.Screen = &screen.State{On: true, App: app}
	}
	list := []usecase.Phone{a, {PhoneInfo: runs.PhoneInfo{Serial: "B", State: "offline"}}}
	if x.yard != nil {
		list = append(list, usecase.Phone{PhoneInfo: runs.PhoneInfo{Serial: "C", State: "device",
			Usable: true, Worker: "berlin"}})
		for i := range list {
			list[i].Closed = x.yard.cordoned(list[i].Serial)
		}
	}
	for i := range x.crowd {
		list = append(list, usecase.Phone{PhoneInfo: runs.PhoneInfo{Serial: fmt.Sprintf("emulator-%d", 5554+2*i),
			State: "device", Usable: i%3 > 0, Model: "Pixel 8 Pro (" + strings.Repeat("very ", i) + "long)"}})
	}
	return list, x.noPhones
}

func (x *toolbox) After(ctx, *usecase.Call, error, bool, bool) usecase.Remedy {
	return usecase.Remedy{}
}

// Show and Refuse are the result objects.
func (x *toolbox) Show(o *usecase.Outcome, name result.Namer) (result.Result, error) {
	body, err := result.New(o.Status)
	body.Next = name(usecase.After(o.Status))
	return body, err
}

func (x *toolbox) Refuse(err error, _ usecase.Remedy, _ result.Namer) result.Result {
	return result.Failed(err)
}

// stopper stops runs in the store, as the runs' owner does.
type stopper struct {
	store *store.Store
	mu    sync.Mutex
	calls []string
}

func (s *stopper) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
}

func (s *stopper) stop(ctx ctx, id string, how runs.StopMode, by runs.Actor) (store.Run, error) {
	to := map[runs.StopMode]store.State{runs.Cancel: store.Cancelled, runs.Pause: store.Paused,
		runs.Takeover: store.WaitingTakeover}[how]
	s.note(string(how) + " " + id + " for " + by.Name + " (" + by.Authority + ") through " +
		by.Channel)
	run, err := s.store.LatestRun(ctx, id)
	if err != nil {
		return run, err
	}
	return s.store.Runs.Transition(ctx, run.ID, store.Change{To: to})
}

func (x *toolbox) Stop(ctx ctx, c *usecase.Call, a usecase.Stop) (*usecase.Outcome, error) {
	run, err := x.runs.stop(ctx, a.SessionID, a.Mode, c.By)
	st := runs.Status{Session: store.Session{ID: a.SessionID}, Run: run}
	return &usecase.Outcome{Status: st}, err
}

func newRig(t testing.TB, changes ...func(*web.Options)) *rig {
	t.Helper()
	dir := storetest.Dir(t)
	db, err := store.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	tokens := token.In(db.Kept)
	g := &rig{t: t, dir: dir, store: db, broker: inquiry.NewBroker(db.Questions, nil),
		logins: web.OpenLogins(filepath.Join(dir, "logins.json")),
		runs:   &stopper{store: db}, hands: newHands()}
	g.tasks = &toolbox{store: db, runs: g.runs}
	for name, to := range map[string]*string{"ann": &g.ann, "ben": &g.ben, "boss": &g.boss} {
		*to, _, err = tokens.Create(token.Limits{}, name, false)
		require.NoError(t, err)
	}
	g.kim, _, err = tokens.Create(token.Limits{}, "kim", true, "ann")
	require.NoError(t, err)
	var files files.Watcher // without it streams would learn of a logout with the next ping only
	var watching sync.WaitGroup
	watching.Go(func() {
		files.Run(t.Context(), filepath.Join(dir, "logins.json"))
	})
	watching.Go(func() { tokens.Watch(t.Context(), files.Tell) })
	t.Cleanup(watching.Wait)
	opts := &web.Options{Changed: files.Changed, Questions: g.broker, Sessions: db,
		Answers: db.Answers, Grants: db.Grants, Logins: g.logins, Tasks: g.tasks,
		Results: g.tasks, BaseURL: "http://x", Phones: g.hands,
		Authorize: func(r *http.Request) (string, error) {
			info, err := tokens.Check(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			return info.Name, err
		},
		Rights: func(name string) usecase.Rights {
			if name == "boss" {
				return operator(name)
			}
			info, err := tokens.Find(name)
			return usecase.Rights{Tenants: info.For, Decides: err == nil && info.Person}
		},
	}
	for _, change := range changes {
		if change != nil {
			change(opts)
		}
	}
	if b, is := opts.Questions.(*inquiry.Broker); is {
		g.broker = b
	}
	g.web = web.New(opts)
	g.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.down.Load() {
			g.refused.Store(r.URL.Path, true)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		g.web.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		require.NoError(t, g.web.Close())
		g.http.Close()
		require.NoError(t, g.hands.mirror.Close())
	})
	g.probe = g.listen(g.boss, "")
	g.probe.want("snapshot")
	return g
}

// waiting is a session of the client with one step, whose run waits for the answer to a question.
func (g *rig) waiting(client string, q inquiry.Question) inquiry.Question {
	g.t.Helper()
	ctx := g.t.Context()
	if q.Task == "" {
		q.Task = "order <b>a pizza</b>"
	}
	x, run, err := g.store.Begin(ctx, store.Session{Serial: "emu-1", Client: client},
		store.Run{Task: q.Task, MaxSteps: 20})
	require.NoError(g.t, err)
	run, err = g.store.Runs.Transition(ctx, run.ID, store.Change{To: store.Running})
	require.NoError(g.t, err)
	g.step(run, 1)
	q.SessionID = x.ID
	q.RunID, q.Fence, q.Step = run.ID, run.Fence, 1
	q.Frame = run.FrameID(1)
	if q.Text == "" {
		q.Text = "Which size?"
	}
	q, err = g.broker.Open(ctx, q)
	require.NoError(g.t, err)
	_, err = g.store.Runs.Transition(ctx, run.ID, store.Change{To: store.WaitingReply,
		Question: q.ID})
	require.NoError(g.t, err)
	for h := g.probe.next(); h.name != "inquiry.created" ||
		!strings.Contains(h.data, q.ID); h = g.probe.next() {
		require.NotEmpty(g.t, h.name, "the stream has ended")
	} // whoever listens from here on does not hear of it any more
	return q
}

// step journals one step of a run.
func (g *rig) step(run store.Run, index int) {
	g.t.Helper()
	explain := "open <i>the menu</i>"
	if !strings.Contains(run.Task, "<") {
		explain = "open the menu"
	}
	st := agentloop.Step{Index: index, Local: index, StartedAt: time.Now(),
		Screen: screen.Observation{Frame: picture(), State: screen.State{On: true,
			App: "com.tencent.mm"}, At: time.Now()},
		Timing: agentloop.Timing{Decide: 12400 * time.Millisecond, Look: 2040 * time.Millisecond},
		Proposal: agentloop.Proposal{Decision: actions.Decision{Action: actions.Back{},
			Explain: explain}, Tries: []agentloop.Try{{PromptTokens: 1200, CompletionTokens: 34}}}}
	j := g.store.Journal(run)
	require.NoError(g.t, j.Intent(g.t.Context(), st))
	require.NoError(g.t, j.Done(g.t.Context(), st,
		agentloop.Progress{Task: run.Task, Steps: index}))
}

// picture is a screen with something on it: a bar, a list of three, a button.
func picture() *screen.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 270, 600))
	fill := func(x, y, w, h int, c color.Color) {
		draw.Draw(img, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Src)
	}
	bar, grey := color.RGBA{0xb4, 0x3c, 0x2e, 255}, color.RGBA{0xc9, 0xcd, 0xd4, 255}
	fill(0, 0, 270, 600, color.RGBA{0xf4, 0xf1, 0xec, 255})
	fill(0, 0, 270, 76, bar)
	fill(18, 44, 120, 12, color.White)
	for i := range 3 {
		y := 100 + i*126
		fill(16, y, 238, 110, color.White)
		fill(28, y+14, 82, 82, color.RGBA{0xe8, uint8(0x9a + 24*i), 0x4c, 255})
		fill(124, y+20, 110-20*i, 10, color.RGBA{0x55, 0x5b, 0x66, 255})
		fill(124, y+42, 112, 7, grey)
		fill(124, y+56, 90, 7, grey)
		fill(124, y+80, 44, 12, bar)
	}
	fill(16, 520, 238, 48, bar)
	fill(92, 538, 86, 12, color.White)
	f, err := screen.NewFrame(img)
	if err != nil {
		panic(err)
	}
	return f
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
}

// json decodes the body.
func (a answer) json(t *testing.T) map[string]any {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.text), &m), a.text)
	return m
}

// send is one request; edit may change it.
func (g *rig) send(method, path, token, body string, edit func(*http.Request)) answer {
	req, err := http.NewRequestWithContext(g.t.Context(), method, g.http.URL+path,
		bytes.NewReader([]byte(body)))
	if err != nil {
		g.t.Error(err)
		return answer{}
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if edit != nil {
		edit(req)
	}
	res, err := g.http.Client().Do(req)
	if err != nil {
		g.t.Error(err)
		return answer{}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		g.t.Error(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

func (g *rig) get(path, token string) answer { return g.send("GET", path, token, "", nil) }
func (g *rig) post(path, token, body string) answer {
	return g.send("POST", path, token, body, nil)
}
