package config

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"

	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/wait"
)

// Log says which events are logged, and how.
type Log struct {
	Format string `koanf:"format"`
	Level  string `koanf:"level"`
}

// Retention says how much of the past a server keeps.
type Retention struct {
	Sessions Age  `koanf:"sessions"`
	Frames   Age  `koanf:"frames"`
	Disk     Size `koanf:"disk"`
}

// Schedule says what a server does about times of schedules that are not convenient.
type Schedule struct {
	Busy   string `koanf:"busy"`
	Missed string `koanf:"missed"`
}

// Runs says what becomes of runs over a restart.
type Runs struct {
	Resume string `koanf:"resume"`
}

// Upgrade says where the newest version is named.
type Upgrade struct {
	Source string `koanf:"source"`
}

// Skip is the value of Schedule's settings that lets a time pass.
const Skip = "skip"

// Age is a duration that may count days and weeks, such as 90d. "" is not set.
type Age string

// Duration is the age as a duration, 0 for none.
func (a Age) Duration() time.Duration {
	d, _ := ParseAge(string(a)) // which its check refuses
	return d
}

// Size is a number of bytes, such as 2GB. "" is not set.
type Size string

// Bytes is the size as a number, 0 for none.
func (s Size) Bytes() int64 {
	n, _ := parseSize(string(s)) // which its check refuses
	return n
}

var operateSettings = []setting{
	{"log.format", "text", oneOf("text", "json")},
	{"log.level", Auto, oneOf(Auto, "debug", "info", "warn", "error")},

	{"retention.sessions", "", age},
	{"retention.frames", "", age},
	{"retention.disk", "", size},

	{"runs.resume", "detached", oneOf("detached", "all", "none")},

	{"schedule.busy", "queue", oneOf("queue", Skip)},
	{"schedule.missed", "once", oneOf("once", Skip)},
}

// notices takes patterns that an event matches.
func notices(v any) (bad []fault) {
	for _, p := range v.([]string) {
		one := []string{p}
		bad = append(bad, unless(slices.ContainsFunc(notify.Events(), func(event string) bool {
			return notify.Chosen(one, event)
		}), p, "an event, or a pattern of some, of "+strings.Join(notify.Events(), ", "))...)
	}
	return bad
}

// ParseAge reads a duration, or a number of days or weeks such as 90d. "" is 0.
func ParseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := wait.ParseDuration(strings.TrimSpace(text))
	if err == nil && d > 36500*24*time.Hour {
		err = errors.New("longer than a hundred years")
	}
	if err == nil && d <= 0 {
		err = errors.New("not above 0")
	}
	return d, err
}

func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := humanize.ParseBytes(text)
	if !unicode.IsLetter(rune(text[len(text)-1])) {
		err = errors.New("no unit")
	}
	if err == nil && (n == 0 || n > math.MaxInt64) {
		err = errors.New("out of range")
	}
	return int64(n), err
}

func age(v any) []fault {
	_, err := ParseAge(string(v.(Age)))
	return unless(err == nil, v, "an age such as 90d, 12w or 36h, or nothing")
}

func size(v any) []fault {
	_, err := parseSize(string(v.(Size)))
	return unless(err == nil, v, "a size such as 2GB or 500MB, or nothing")
}
