// Package interrupt catches the signals that end a program from its first moment on: it imports so
// little that Go initialises it before all that the program is made of.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context ends at the first signal. A second one ends the process at once.
var Context, caught = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
	syscall.SIGHUP)

func init() { context.AfterFunc(Context, caught) }
