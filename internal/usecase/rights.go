package usecase

import "github.com/taploop/taploop/internal/store"

// Rights are what a principal may, the same through MCP, over HTTP and in conversations. The zero
// value is a program, which sees its own sessions only.
type Rights struct {
	All     bool     // sees everybody's sessions, questions and answers
	Decides bool     // decides about actions, as a person
	Tenants []string // other clients, whose sessions, questions and answers it sees
}

// Owners are the clients whose sessions, questions and answers a principal of that name may know.
// What belongs to others does not exist for the principal.
func (r Rights) Owners(name string) store.Owners {
	if r.All {
		return nil
	}
	return append(store.Owners{name}, r.Tenants...)
}
