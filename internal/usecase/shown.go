package usecase

import (
	"encoding/json"
	"fmt"

	"github.com/taploop/taploop/internal/runs"
)

// Shown is what a result shows beyond the bare facts. It is stored with the run, for later calls.
type Shown struct {
	Logs            bool `json:"logs"`
	Captions        bool `json:"captions"`         // of the steps in the logs
	Screenshots     bool `json:"screenshots"`      // of the steps in the logs
	FinalScreenshot bool `json:"final_screenshot"` // of the last step
	FinalCaption    bool `json:"final_caption"`    // without Captions, of the step at the end
}

// detail is how much a result shows.
type detail string

// The details.
const (
	DetailSummary  detail = "summary"
	DetailSteps    detail = "steps"
	DetailPictures detail = "pictures"
)

// Showing is what the results of a run are to show. The switches are gelab-zero's, and count where
// they are given.
type Showing struct {
	Detail detail `json:"detail" default:"steps"`
	Logs   *bool  `json:"enable_intermediate_logs,omitempty" listed:"captions gelab"`

	Captions    *bool `json:"enable_intermediate_image_caption,omitempty" listed:"captions gelab"`
	Screenshots *bool `json:"enable_intermediate_screenshots,omitempty" listed:"captions gelab"`

	FinalScreenshot *bool `json:"enable_final_screenshot,omitempty" listed:"captions gelab"`
	FinalCaption    *bool `json:"enable_final_image_caption,omitempty" listed:"captions gelab"`
}

// Shown is what the arguments say.
func (a Showing) Shown() Shown {
	or := func(given *bool, usual bool) bool {
		if given != nil {
			return *given
		}
		return usual
	}
	o := Shown{}.with(a.Detail)
	o.Logs = or(a.Logs, o.Logs)
	o.Captions = o.Logs && or(a.Captions, false)
	o.Screenshots = o.Logs && or(a.Screenshots, o.Screenshots)
	o.FinalScreenshot = or(a.FinalScreenshot, o.FinalScreenshot)
	o.FinalCaption = or(a.FinalCaption, o.FinalCaption)
	return o
}

// with is o with as much detail.
func (o Shown) with(d detail) Shown {
	o.Logs = d != DetailSummary
	o.Screenshots, o.FinalScreenshot = d == DetailPictures, d == DetailPictures
	return o
}

// Private is o under a level of privacy: under captions no pictures, and each screen in words.
func (o Shown) Private(p Privacy) Shown {
	if p == PrivacyCaptions {
		return Shown{Logs: o.Logs, Captions: o.Logs, FinalCaption: true}
	}
	return o
}

func (o Shown) Pictures() bool { return o.Screenshots || o.FinalScreenshot }

// clientSettings are what the tools store with a run, in runs.Settings.Client.
type clientSettings struct {
	Show  *Shown          `json:"shows,omitempty"`
	Extra json.RawMessage `json:"extra_info,omitempty"`
}

func clientSettingsOf(s runs.Settings) (kept clientSettings, err error) {
	if len(s.Client) > 0 {
		if err := json.Unmarshal(s.Client, &kept); err != nil {
			return kept, fmt.Errorf("reading the settings of a run: %w", err)
		}
	}
	return kept, nil
}

// shownOf are the details that were stored with the run. A run that another program began, such
// as the command line, has the defaults.
func shownOf(s runs.Settings) (Shown, error) {
	kept, err := clientSettingsOf(s)
	if err != nil || kept.Show == nil {
		return Shown{Logs: true}, err
	}
	return *kept.Show, nil
}
