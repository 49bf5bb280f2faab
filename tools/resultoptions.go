package tools

import (
	"encoding/json"
	"fmt"

	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
)

// resultOptions say what a result shows besides the bare facts. They are stored with the run, for
// the calls that come after.
type resultOptions struct {
	Logs            bool `json:"logs"`
	Captions        bool `json:"captions"`         // of the steps in the logs
	Screenshots     bool `json:"screenshots"`      // of the steps in the logs
	FinalScreenshot bool `json:"final_screenshot"` // of the last step
	FinalCaption    bool `json:"final_caption"`    // without Captions, of the step at the end
}

// detail is how much a result shows.
type detail string

const (
	detailSummary  detail = "summary"
	detailSteps    detail = "steps"
	detailPictures detail = "pictures"
)

// showArgs say what the results of a run show. The switches are gelab-zero's, and count where they
// are given.
type showArgs struct {
	Detail          detail `json:"detail" default:"steps"`
	Logs            *bool  `json:"enable_intermediate_logs,omitempty" listed:"no"`
	Captions        *bool  `json:"enable_intermediate_image_caption,omitempty" listed:"no"`
	Screenshots     *bool  `json:"enable_intermediate_screenshots,omitempty" listed:"no"`
	FinalScreenshot *bool  `json:"enable_final_screenshot,omitempty" listed:"no"`
	FinalCaption    *bool  `json:"enable_final_image_caption,omitempty" listed:"no"`
}

// show is what the arguments say.
func (a showArgs) show() resultOptions {
	or := func(given *bool, usual bool) bool {
		if given != nil {
			return *given
		}
		return usual
	}
	o := resultOptions{}.with(a.Detail)
	o.Logs = or(a.Logs, o.Logs)
	o.Captions = o.Logs && or(a.Captions, false)
	o.Screenshots = o.Logs && or(a.Screenshots, o.Screenshots)
	o.FinalScreenshot = or(a.FinalScreenshot, o.FinalScreenshot)
	o.FinalCaption = or(a.FinalCaption, o.FinalCaption)
	return o
}

// with is o with as much detail.
func (o resultOptions) with(d detail) resultOptions {
	o.Logs = d != detailSummary
	o.Screenshots, o.FinalScreenshot = d == detailPictures, d == detailPictures
	return o
}

// private is o under a level of privacy: under captions no pictures, and each screen in words.
func (o resultOptions) private(p Privacy) resultOptions {
	if p == PrivacyCaptions {
		return resultOptions{Logs: o.Logs, Captions: o.Logs, FinalCaption: true}
	}
	return o
}

func (o resultOptions) pictures() bool { return o.Screenshots || o.FinalScreenshot }

// clientSettings are what the tools store with a run, in runs.Settings.Client.
type clientSettings struct {
	Show  *resultOptions  `json:"shows,omitempty"`
	Extra json.RawMessage `json:"extra_info,omitempty"`
}

// settings are those of a run that the call begins or takes up. What the call leaves out stays as
// it was before.
func (t *tasks) settings(c *call, a runArgs, mode string, before runs.Settings) (
	runs.Settings, error) {
	kept, err := clientSettingsOf(before)
	if err != nil {
		return before, err
	}
	if err := small("extra_info", a.Extra, 10_000); err != nil {
		return before, err
	}
	if kept.Show = new(a.show()); a.Extra != nil {
		kept.Extra = a.Extra
	}
	shown := kept.Show.private(t.Privacy)
	out := runs.Settings{ReplyMode: before.ReplyMode, DetachedOK: before.DetachedOK,
		Client: json.RawMessage(quote(kept)), Captions: shown.Captions,
		FinalCaption: shown.FinalCaption}
	if mode != "" {
		if out.ReplyMode, err = channel.Parse(mode); err != nil {
			return before, runs.Coded(runs.InvalidArgument, err)
		}
	}
	out.ReplyMode = c.options.replyMode(out.ReplyMode, t.ReplyMode)
	if c.given["detached_ok"] {
		out.DetachedOK = a.DetachedOK
	}
	if out.ReplyMode != before.ReplyMode || before.Client == nil {
		return out, c.canShow(out.ReplyMode)
	}
	return out, nil
}

// small refuses an object that is too large to be kept.
func small(name string, object json.RawMessage, most int) error {
	if len(object) > most {
		return invalid("pass less", "%s has %d bytes (at most %d)", name, len(object), most)
	}
	return nil
}

func clientSettingsOf(s runs.Settings) (kept clientSettings, err error) {
	if len(s.Client) > 0 {
		if err := json.Unmarshal(s.Client, &kept); err != nil {
			return kept, fmt.Errorf("reading the settings of a run: %w", err)
		}
	}
	return kept, nil
}

// resultOptionsOf are those that were stored with the run. A run that another program began, such
// as the command line, shows what is usual.
func resultOptionsOf(s runs.Settings) (resultOptions, error) {
	kept, err := clientSettingsOf(s)
	if err != nil || kept.Show == nil {
		return resultOptions{Logs: true}, err
	}
	return *kept.Show, nil
}
