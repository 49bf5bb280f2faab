// Package terminal asks the person at a terminal a question, and reads what is typed as a reply to
// it.
package terminal
