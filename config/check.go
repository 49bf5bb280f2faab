package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/model"
	"github.com/taploop/taploop/screen"
)

// derive fills in what depends on other values or on the machine.
func (l *Loaded) derive(getenv func(string) string) error {
	if l.DataDir == "" {
		dir, err := dataFolder(getenv)
		if err != nil {
			return hint.Add(fmt.Errorf("finding a place for sessions: %w", err), "set data_dir or TAPLOOP_DATA_DIR")
		}
		l.DataDir = filepath.Join(dir, "taploop")
	}
	if err := keyFromFile(&l.Model.APIKey, l.Model.APIKeyFile, "model.api_key"); err != nil {
		return err
	}
	if err := keyFromFile(&l.Caption.APIKey, l.Caption.APIKeyFile, "caption.api_key"); err != nil {
		return err
	}
	l.Caption.inherit(l.Model)
	if q := &l.Questions; q.TTL > 0 { // what else is wrong with it is told by check
		q.Attention = min(q.Attention, q.TTL)
	}
	return l.Notify.secrets(getenv)
}

// inherit takes what is empty from the deciding model. A key goes only to the endpoint that it was given for.
func (c *Caption) inherit(m Model) {
	if c.APIKey == "" && (c.BaseURL == "" || c.BaseURL == m.BaseURL) {
		c.APIKey = m.APIKey
	}
	if c.BaseURL == "" {
		c.BaseURL = m.BaseURL
	}
	if c.Name == "" {
		c.Name = m.Name
	}
	if c.Lang == "" {
		c.Lang = m.Lang
	}
	if c.Timeout == 0 {
		c.Timeout = m.Timeout
	}
}

func keyFromFile(key *model.Secret, file, name string) error {
	if file == "" {
		return nil
	}
	if *key != "" {
		return hint.Add(fmt.Errorf("both %s and %s_file are set", name, name), "keep one of them")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return hint.Add(fmt.Errorf("reading %s_file: %w", name, err), "put the key into that file, or name another")
	}
	*key = model.Secret(strings.TrimSpace(string(b)))
	return nil
}

// dataFolder is where programs of this user keep data.
func dataFolder(getenv func(string) string) (string, error) {
	if d := getenv("XDG_DATA_HOME"); d != "" {
		return d, nil
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return os.UserConfigDir()
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// check reports every value that cannot work, each with where it came from.
func (l *Loaded) check() error {
	var bad []error
	wrong := func(path string, value any, want string) { bad = append(bad, l.wrong(path, value, want)) }
	oneOf := func(path, value string, allowed ...string) {
		if !slices.Contains(allowed, value) {
			wrong(path, value, "one of "+strings.Join(allowed, ", "))
		}
	}
	between := func(path string, value, low, high float64) {
		if !(value >= low && value <= high) {
			wrong(path, value, fmt.Sprintf("a number from %v to %v", low, high))
		}
	}
	oneOf("privacy", l.Privacy, "off", "captions")
	oneOf("model.lang", l.Model.Lang, "zh", "en")
	oneOf("caption.lang", l.Caption.Lang, "zh", "en")
	oneOf("questions.on_timeout", l.Questions.OnTimeout, "pause", "continue_without_answer", "auto_reply", "abort")
	between("model.temperature", l.Model.Temperature, 0, 2)
	between("model.top_p", l.Model.TopP, 0, 1)
	between("model.frequency_penalty", l.Model.FrequencyPenalty, -2, 2)
	between("model.max_tokens", float64(l.Model.MaxTokens), 1, 1<<20)
	between("model.retries", float64(l.Model.Retries), 0, 20)
	between("caption.retries", float64(l.Caption.Retries), 0, 20)
	between("model.image_quality", float64(l.Model.ImageQuality), 1, 100)
	between("loop.max_steps", float64(l.Loop.MaxSteps), 1, 10000)
	between("questions.per_run", float64(l.Questions.PerRun), 1, 1000)
	if _, err := l.Model.PictureSize(); err != nil {
		wrong("model.image_size", l.Model.ImageSize, "WxH with sides from 28 to 4096, for example 728x728, or full")
	}
	if l.Model.Record != "" && l.Model.Replay != "" {
		bad = append(bad, hint.Add(errors.New("model.record and model.replay are both set"), "keep one of them"))
	}
	for _, v := range l.Values() {
		if d, ok := v.Value.(time.Duration); ok && d <= 0 {
			wrong(v.Path, d, "a duration above 0, such as 90s")
		}
	}
	bad = slices.Concat(bad, l.checkCalls(), l.checkHTTP(), l.checkNotify())
	slices.SortFunc(bad, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(bad...)
}

// wrong is the error about one value.
func (l *Loaded) wrong(path string, value any, want string) error {
	return hint.Add(fmt.Errorf("%s is %v (from %s)", path, quoted(value), l.Origin(path)), "want "+want)
}

func (l *Loaded) checkCalls() (bad []error) {
	for name, c := range l.Calls.Clients {
		if c.Wait < 0 || c.MaxWait < 0 {
			bad = append(bad, l.wrong("calls.clients."+name, c, "durations above 0, such as 20s"))
		}
	}
	return bad
}

func (l *Loaded) checkHTTP() (bad []error) {
	for _, host := range l.HTTP.Hosts {
		if strings.ContainsAny(host, "/ ") {
			bad = append(bad, l.wrong("http.hosts", host, "names with or without a port, such as phones.example or phones.example:8443"))
		}
	}
	for _, origin := range l.HTTP.Origins {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			bad = append(bad, l.wrong("http.origins", origin, "a scheme and a host without a path, such as https://app.example"))
		}
	}
	if u, err := url.Parse(l.HTTP.URL); l.HTTP.URL != "" && (err != nil || u.Host == "" || u.User != nil ||
		u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != strings.TrimSuffix(l.HTTP.URL, "/")) {
		bad = append(bad, l.wrong("http.url", l.HTTP.URL, "a scheme and a host without a path, such as https://phones.example"))
	}
	return bad
}

func quoted(v any) any {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return v
}

// FullSize is the image_size that sends the frame in its own size.
const FullSize = "full"

// PictureSize is image_size as a size; the zero size for FullSize.
func (m *Model) PictureSize() (screen.Size, error) {
	if m.ImageSize == FullSize {
		return screen.Size{}, nil
	}
	w, h, _ := strings.Cut(m.ImageSize, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if err := errors.Join(errW, errH); err != nil || min(width, height) < 28 || max(width, height) > 4096 {
		return screen.Size{}, fmt.Errorf("image size %q", m.ImageSize)
	}
	return screen.Size{W: width, H: height}, nil
}
