// Package terminal asks a person questions at a terminal, and parses the replies.
package terminal
