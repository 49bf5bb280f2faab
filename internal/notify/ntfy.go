package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// texts are what a person's phone shows of a question, in one language.
type texts struct {
	Waits, StillWaits, OnPage string
	Happened                  map[string]string // by the event of a Notice
}

var textsIn = words.Of[texts]("notify")

// said is a text in every language: who has subscribed to the topic is not known.
func said(which func(*texts) string) string {
	in := func(lang string) string { return which(textsIn(lang)) }
	return strings.Join(text.Each(words.Languages(), in), " · ")
}

// inEvery is the text of a question in every language in which it differs.
func inEvery(q inquiry.Question) string {
	var all []string
	for _, lang := range words.Languages() {
		if said := q.In(lang).Text; !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	return strings.Join(all, "\n\n")
}

// newTopic is a topic of an ntfy server, https://docs.ntfy.sh/publish.
func newTopic(n Ntfy) (target, error) {
	u, err := parseURL(n.URL)
	if err != nil {
		return target{}, fmt.Errorf("the ntfy topic: %w", err)
	}
	if strings.Trim(u.Path, "/") == "" {
		return target{}, hint.Add(fmt.Errorf("the ntfy address at %s names no topic", u.Host),
			"write the topic after the server: https://ntfy.sh/TOPIC")
	}
	if strings.ContainsFunc(n.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return target{},
			hint.Add(errors.New("the token of the ntfy topic holds characters that no token has"),
				"copy it again from the ntfy account's page")
	}
	return target{name: nameOf("ntfy", u, n.URL), openOnly: true, request: n.request}, nil
}

// request has the question as its body, the rest are headers.
func (n Ntfy) request(ctx context.Context, m *notification, o *Options) (*http.Request, error) {
	body := said(func(t *texts) string { return t.OnPage })
	if m.notice != nil {
		body = cmp.Or(m.notice.line(), m.event)
	} else if !o.HideText {
		// ntfy takes what it cannot show as an attachment
		body = text.Cut(text.Lines(inEvery(m.question)), maxText)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	title := said(func(t *texts) string { return t.Waits })
	priority, tags := "default", "question"
	if m.notice != nil {
		title = said(func(t *texts) string { return t.Happened[m.event] })
		tags = "iphone"
	}
	if m.event == overdue {
		title = said(func(t *texts) string { return t.StillWaits })
		priority, tags = "high", "hourglass_flowing_sand"
	}
	r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	r.Header.Set("Title", mime.BEncoding.Encode("utf-8", title))
	r.Header.Set("Priority", priority)
	r.Header.Set("Tags", tags)
	if m.link != "" {
		r.Header.Set("Click", m.link)
	}
	if n.Token != "" {
		r.Header.Set("Authorization", "Bearer "+n.Token)
	}
	return r, nil
}
