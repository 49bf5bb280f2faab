package tools

import (
	"encoding/json"
	"fmt"

	"github.com/taploop/taploop/runs"
)

// shows says what a result shows beside the bare facts. It is stored with the run, for the calls that come after.
type shows struct {
	Logs            bool `json:"logs"`
	Captions        bool `json:"captions"`         // of the steps in the logs
	Screenshots     bool `json:"screenshots"`      // of the steps in the logs
	FinalCaption    bool `json:"final_caption"`    // of the last step; when Captions is off, of one that ends the run or asks
	FinalScreenshot bool `json:"final_screenshot"` // of the last step
}

var showParams = []param{
	{name: "enable_intermediate_logs", kind: flag, def: true,
		words: "Whether the result lists the steps before the last one. Off also leaves their captions and screenshots out."},
	{name: "enable_intermediate_image_caption", kind: flag, def: true,
		words: "Whether each listed step comes with its screen in words. When neither this nor enable_final_image_caption is on, screens are not described at all, which saves the server a model call a step."},
	{name: "enable_intermediate_screenshots", kind: flag, def: false,
		words: "Whether each listed step comes with its screen as a picture (data URL, JPEG). Large: leave it off unless your user wants the pictures."},
	{name: "enable_final_screenshot", kind: flag, def: false,
		words: "Whether the last step comes with its screen as a picture (data URL, JPEG, long side at most 1280). get_screenshot is the better way to look at a phone."},
	{name: "enable_final_image_caption", kind: flag, def: true,
		words: "Whether the last step comes with its screen in words. With enable_intermediate_image_caption off that is the screen on which the task ends or the agent asks."},
}

// showsOf are those of a call.
func showsOf(a args) shows {
	logs := a.flag("enable_intermediate_logs")
	return shows{
		Logs:            logs,
		Captions:        logs && a.flag("enable_intermediate_image_caption"),
		Screenshots:     logs && a.flag("enable_intermediate_screenshots"),
		FinalCaption:    a.flag("enable_final_image_caption"),
		FinalScreenshot: a.flag("enable_final_screenshot"),
	}
}

// private is s under a level of privacy: under captions no pictures, and each screen in words.
func (s shows) private(p Privacy) shows {
	if p == PrivacyCaptions {
		s.Captions, s.FinalCaption, s.Screenshots, s.FinalScreenshot = s.Logs, true, false, false
	}
	return s
}

func (s shows) pictures() bool { return s.Screenshots || s.FinalScreenshot }

// kept is what the tools store with a run, in runs.Settings.Client.
type kept struct {
	Shows *shows          `json:"shows,omitempty"`
	Extra json.RawMessage `json:"extra_info,omitempty"`
}

// settings are those of a run that the call begins or takes up. What the call leaves out stays as it was before.
func (t *Tools) settings(c *call, s shows, before runs.Settings) (runs.Settings, error) {
	k, err := keptIn(before)
	if err != nil {
		return before, err
	}
	if k.Shows = &s; c.args.has("extra_info") {
		k.Extra = c.args.raw("extra_info")
	}
	out := runs.Settings{ReplyMode: before.ReplyMode, DetachedOK: before.DetachedOK, Client: json.RawMessage(quote(k))}
	shown := s.private(t.opts.Privacy)
	out.Captions, out.FinalCaption = shown.Captions, shown.FinalCaption
	if c.args.has("reply_mode") {
		out.ReplyMode = runs.ReplyMode(c.args.text("reply_mode"))
	}
	out.ReplyMode = c.switches.replyMode(out.ReplyMode, t.opts.ReplyMode)
	if c.args.has("detached_ok") {
		out.DetachedOK = c.args.flag("detached_ok")
	}
	if out.ReplyMode != before.ReplyMode || before.Client == nil {
		return out, c.canShow(out.ReplyMode)
	}
	return out, nil
}

func keptIn(s runs.Settings) (kept, error) {
	var k kept
	if len(s.Client) > 0 {
		if err := json.Unmarshal(s.Client, &k); err != nil {
			return k, fmt.Errorf("reading the settings of a run: %w", err)
		}
	}
	return k, nil
}

// showsIn are those that were stored with the run. A run that another program began, such as the command line, shows what is
// usual.
func showsIn(s runs.Settings) (shows, error) {
	k, err := keptIn(s)
	if err != nil || k.Shows == nil {
		return shows{Logs: true, Captions: true, FinalCaption: true}, err
	}
	return *k.Shows, nil
}
