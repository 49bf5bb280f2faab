package runs

import (
	"encoding/json"
	"fmt"

	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/store"
)

// Settings are how a run behaves. They are stored with it, so that it behaves the same after a
// restart.
type Settings struct {
	ReplyMode channel.Mode `json:"reply_mode,omitempty"` // "" means PassToClient
	Captions  bool         `json:"captions,omitempty"`   // each frame in words
	// the frame in words on which the run ends or asks
	FinalCaption bool `json:"final_caption,omitempty"`
	// goes on with no call attached, see Manager.Attach
	DetachedOK bool            `json:"detached_ok,omitempty"`
	Client     json.RawMessage `json:"client,omitempty"` // the caller's own, kept as given
	// the file of the MCP servers that agents have; it is never replaced by other settings
	Servers string `json:"mcp,omitempty"`
}

// storedSettings is the settings with what the Manager itself has to know again.
type storedSettings struct {
	Settings
	CallFrom int `json:"call_from"` // steps of the session before the present call
	// of the calls that began or resumed the session's runs, oldest first
	Keys []usedKey `json:"keys,omitempty"`
}

// usedKey is the key of a call that was carried out. A call under the same key is not carried out
// again: it is answered like the first, and refused when it brings something else.
type usedKey struct {
	Key  string `json:"key"`
	Task string `json:"task,omitempty"` // that it brought
}

// with are the settings as a call changes them; nil keeps them.
func (s storedSettings) with(changed *Settings) Settings {
	if changed == nil {
		return s.Settings
	}
	now := *changed
	now.Servers = s.Servers
	return now
}

func settingsOf(r store.Run) (storedSettings, error) {
	var s storedSettings
	if len(r.Settings) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(r.Settings, &s); err != nil {
		return s, fmt.Errorf("reading the settings of run %s: %w", r.ID, err)
	}
	return s, nil
}

// encode is v, which holds Settings that were checked, as JSON.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err)) // Client was checked to be JSON
	}
	return b
}
