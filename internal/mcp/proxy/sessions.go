package proxy

import "github.com/mark3labs/mcp-go/server"

// sessions are the clients' sessions, which get broadcasts.
type sessions struct {
	mu    lock
	byID  map[string]server.ClientSession
	stdio string // the id of the only client's session, or "" over HTTP
}

func (ss *sessions) add(s server.ClientSession, stdio bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.byID[s.SessionID()] = s
	if stdio && ss.stdio == "" { // those of subscriptions come later
		ss.stdio = s.SessionID()
	}
}

func (ss *sessions) remove(id string) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.byID, id)
	if ss.stdio == id {
		ss.stdio = ""
	}
}

// find returns the session with that id, or nil if missing.
func (ss *sessions) find(id string) server.ClientSession {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.byID[id]
}

func (ss *sessions) onStdio() string {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.stdio
}
