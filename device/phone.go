package device

import (
	"fmt"
	"sync/atomic"

	"github.com/taploop/taploop/actions"
)

// Phone is one phone. Its methods may be called from several goroutines, but touches of two callers
// mix on the screen: a caller that touches holds the phone for itself.
type Phone struct {
	info PhoneInfo

	shell    *shell
	display  display
	capturer capturer
	keyboard *adbKeyboard
	typist   typist
	dumper   *dumper
	launcher launcher

	noDrag atomic.Bool // input has no draganddrop
}

var _ actions.Surface = (*Phone)(nil)

// Info is what was read of the phone when it was opened.
func (p *Phone) Info() PhoneInfo { return p.info }

// Close ends the use of the phone. A Phone holds no connection between calls, so there is nothing
// to wait for.
func (p *Phone) Close() error { return nil }

// failed puts what was being done, and on which phone, in front of an error; nil stays nil.
func (p *Phone) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, p.info.Serial, err)
}
