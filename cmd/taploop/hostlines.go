package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/host"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session/export"
)

// hostLines tell at a terminal what agents do, as they do it; nil tells nothing.
type hostLines struct {
	mu   sync.Mutex
	out  io.Writer
	lang string
	// the phones of the sessions below, by session
	phones map[string]string
}

// phone notes which phone a session has.
func (l *hostLines) phone(session, serial string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phones == nil {
		l.phones = map[string]string{}
	}
	l.phones[session] = serial
}

// step shows a step of a phone. It is an observer of runs.
func (l *hostLines) step(e runs.Event) {
	if e.Kind != agentloop.Stepped {
		return
	}
	l.mu.Lock()
	serial := l.phones[e.SessionID]
	l.mu.Unlock()
	l.line("    %s %d: %s", text.Line(serial), e.Step.Index, export.Headline(e.Step.Proposal))
}

func (l *hostLines) line(format string, args ...any) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, format+"\n", args...)
}

// hostWords are those of a host at a terminal.
type hostWords struct {
	session, down, waits, spent, failed string
}

func (l *hostLines) words() hostWords {
	if l != nil && l.lang == "zh" {
		return hostWords{session: "会话 %s", down: "服务器 %s 无法连接：%s",
			waits: "等待回复：%s\n  taploop inquiries %s    taploop reply %s ...",
			spent: "%d 次调用，发送 %d 个 token，收到 %d 个", failed: "失败："}
	}
	return hostWords{session: "session %s", down: "server %s cannot be reached: %s",
		waits: "waits for a person: %s\n  taploop inquiries %s    taploop reply %s ...",
		spent: "%d calls, %d tokens sent, %d received", failed: "failed: "}
}

func (l *hostLines) begin(session string, down []host.Down) {
	w := l.words()
	l.line(w.session, session)
	for _, d := range down {
		l.line(w.down, text.Line(d.Server), text.Line(d.Err.Error()))
	}
}

func (l *hostLines) spent(u hostUsage) string {
	return fmt.Sprintf(l.words().spent, u.Calls, u.PromptTokens, u.CompletionTokens)
}

// event tells an event. Those of an agent below another one stand further to the right.
func (l *hostLines) event(e host.Event) {
	const most = 200
	words := text.Cut(text.Line(e.Text), most)
	switch e.Kind {
	case "call":
		words = text.Line(e.Name) + " " + words
	case "result":
		if e.Failed {
			words = l.words().failed + words
		}
		words = "= " + words
	case "goal":
		if e.Agent == host.First {
			return
		}
		words = text.Line(e.Role) + ": " + words
	case "end":
		return // the result of the call, or the answer, says it
	}
	id := e.Agent
	if e.Call != "" {
		id = e.Call
	}
	depth := strings.Count(e.Agent, "-")
	l.line("%s[%s] %s", strings.Repeat("  ", depth), id, words)
}

// questions tells what waits for a person, until ctx ends.
func (l *hostLines) questions(ctx context.Context, events *inquiry.Subscription, session string) {
	for {
		e, err := events.Next(ctx)
		if err != nil {
			return
		}
		if e.Type == inquiry.Created && e.Question.SessionID == session {
			id := e.Question.ID
			l.line(l.words().waits, text.Cut(text.Line(e.Question.Text), 200), id, id)
		}
	}
}
