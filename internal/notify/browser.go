package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/notify/push"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// browser is a browser that has subscribed on the page.
type browser struct {
	push.Subscription
	all *push.Browsers
}

func (b browser) target() target {
	name := "browser " + b.Endpoint
	if u, err := parseURL(b.Endpoint); err == nil {
		name = nameOf("browser", u, b.Endpoint)
	}
	return target{name: name, openOnly: true, request: b.request,
		gone: func() error { return b.all.Remove(b.Endpoint) }}
}

// shown is what the page's worker shows of a message.
type shown struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	URL   string `json:"url"` // within the page
	Tag   string `json:"tag"` // one notification for each
	Lang  string `json:"lang"`
}

// mostShown is the longest text that is shown, in characters: in UTF-8 and JSON it has to fit into
// a push.
const mostShown = 300

func (b browser) request(ctx context.Context, m *notification, o *Options) (*http.Request, error) {
	ttl := o.GiveUp
	if m.notice == nil {
		ttl = min(ttl, time.Until(m.question.ExpiresAt))
	}
	body, err := json.Marshal(b.shown(m, o))
	if err != nil {
		return nil, err
	}
	return b.all.Request(ctx, b.Subscription, push.Message{Body: body, TTL: ttl, Topic: m.key()})
}

// shown is the message in the browser's language.
func (b browser) shown(m *notification, o *Options) shown {
	w := textsIn(b.Lang)
	s := shown{Title: w.Waits, Body: w.OnPage, URL: "/ui", Tag: m.key(), Lang: b.Lang}
	switch {
	case m.notice != nil:
		s.Title, s.Body = cmp.Or(w.Happened[m.event], m.event), m.notice.line()
	case m.event == overdue:
		s.Title = w.StillWaits
	}
	if m.notice == nil {
		s.URL += "#question=" + m.question.ID
		if !o.HideText {
			s.Body = m.question.In(b.Lang).Text
		}
	}
	s.Body = text.Cut(text.Line(s.Body), mostShown)
	return s
}

// followBrowsers has an endpoint for each browser that has subscribed, until ctx ends. run starts
// one.
func (n *Notifier) followBrowsers(ctx context.Context, run func(context.Context, *endpoint)) {
	var w files.Watcher
	watching := make(chan struct{})
	go func() { defer close(watching); w.Run(ctx, n.opts.Browsers.Path()) }()
	defer func() { <-watching }()
	ends := map[push.Subscription]context.CancelFunc{}
	for ctx.Err() == nil {
		changed, more := w.Changed(), false
		list, err := n.opts.Browsers.List()
		if err != nil {
			n.opts.Log.Error("the browsers that are told cannot be read", "err", err)
			_ = wait.Until(ctx, time.Minute, changed) // the loop asks whether ctx has ended
			continue
		}
		since := map[push.Subscription]time.Time{}
		for _, s := range list {
			from := s.Since
			s.Since, s.Until = time.Time{}, time.Time{} // one that is renewed is the same
			since[s] = from
		}
		for s, end := range ends {
			if _, is := since[s]; !is {
				end()
				delete(ends, s)
				n.drop(browser{s, n.opts.Browsers}.target().name)
			}
		}
		for s, from := range since {
			if ends[s] == nil {
				its, end := context.WithCancel(ctx)
				ends[s], more = end, true
				e := newEndpoint(browser{s, n.opts.Browsers}.target(), &n.opts, n.catchUp)
				e.since = from
				n.change(func(all []*endpoint) []*endpoint { return append(all, e) })
				run(its, e)
			}
		}
		if more {
			n.catchUp(ctx)
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
	for _, end := range ends {
		end()
	}
}
