package device

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/taploop/taploop/screen"
)

// StateHung is the state of a phone that the server lists as usable and that does not answer.
const StateHung = "not answering"

// Info is what is known of a phone without looking at it. Model and what follows are empty for a
// phone that is not usable.
type Info struct {
	Serial string `json:"device_id"`
	// as ADB says: device, offline, unauthorized, ...; or StateHung
	State   string      `json:"state"`
	Model   string      `json:"model,omitempty"`
	Android string      `json:"android_version,omitempty"`
	SDK     int         `json:"sdk,omitempty"`
	Size    screen.Size `json:"size,omitzero"` // logical display in its natural orientation
}

// Usable reports whether the phone takes commands.
func (i Info) Usable() bool { return i.State == "device" }

var infoCommands = []string{
	"getprop ro.product.model", "getprop ro.build.version.release", "getprop ro.build.version.sdk",
	"wm size",
}

// readInfo fills the phone's Info in, in one service.
func (p *Phone) readInfo(ctx context.Context) error {
	s, err := p.read(ctx, infoCommands...)
	if err != nil {
		return err
	}
	if model := strings.TrimSpace(s[0]); model != "" {
		p.info.Model = model
	}
	p.info.Android = strings.TrimSpace(s[1])
	p.info.SDK, _ = strconv.Atoi(strings.TrimSpace(s[2]))
	physical, override := parseWMSize(s[3])
	p.info.Size, p.panel = firstSize(override, physical), physical
	if p.info.Android == "" && !p.info.Size.Valid() {
		return errors.New("the phone reports neither its Android version nor its size: it is " +
			"not Android, or still starting up")
	}
	return nil
}
