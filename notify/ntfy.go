package notify

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// topic is a topic of an ntfy server, https://docs.ntfy.sh/publish.
type topic struct {
	url   string
	token string
}

func newTopic(n Ntfy) (*topic, error) {
	if err := checkURL(n.URL); err != nil {
		return nil, fmt.Errorf("the ntfy topic: %w", err)
	}
	if u, _ := url.Parse(n.URL); strings.Trim(u.Path, "/") == "" {
		return nil, hint.Add(fmt.Errorf("the ntfy address at %s names no topic", u.Host),
			"write the topic after the server: https://ntfy.sh/TOPIC")
	}
	if strings.ContainsFunc(n.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil,
			hint.Add(errors.New("the token of the ntfy topic holds characters that no token has"),
				"copy it anew from the ntfy account's page")
	}
	return &topic{n.URL, n.Token}, nil
}

func (t *topic) label() string { return nameOf("ntfy", t.url) }

// wants implements target: a push is for what a person should do something about.
func (t *topic) wants(event string) bool { return event == created || event == overdue }

func (t *topic) fleeting() bool { return true }

// request implements target. The message is the body, the rest are headers.
func (t *topic) request(ctx context.Context, m *message, o *Options) (*http.Request, error) {
	body := "The question is on the page. 问题在页面上。"
	if !o.HideText {
		// ntfy takes what it cannot show as an attachment
		body = text.Cut(text.Lines(m.question.Text), maxText)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	title := "A question waits for you · 有一个问题在等你"
	priority, tags := "default", "question"
	if m.event == overdue {
		title = "A question still waits for you · 问题仍在等你"
		priority, tags = "high", "hourglass_flowing_sand"
	}
	r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	r.Header.Set("Title", mime.BEncoding.Encode("utf-8", title))
	r.Header.Set("Priority", priority)
	r.Header.Set("Tags", tags)
	if m.link != "" {
		r.Header.Set("Click", m.link)
	}
	if t.token != "" {
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	return r, nil
}
