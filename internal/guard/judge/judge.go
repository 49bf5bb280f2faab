package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// completer asks a model. [model.Client] is one.
type completer interface {
	Complete(ctx context.Context, r model.Request) (model.Response, error)
}

// memory keeps what a judge said, as the words of acts by app and label. It is safe for concurrent
// use.
type memory interface {
	// Judged returns what is remembered of these labels of the app. Others are missing.
	Judged(ctx context.Context, app string, labels []string) (map[string]string, error)
	// Remember adds to what is remembered. An act that is not "" stays.
	Remember(ctx context.Context, app string, acts map[string]string) error
}

// Options of a Judge. Model and Memory must be set.
type Options struct {
	Model   completer
	Memory  memory
	Timeout time.Duration // how long Acts waits for the model, 0 means 5 s
	Tokens  int           // that a run may spend, 0 means 20,000
}

// Spent is what judging has cost.
type Spent struct {
	Calls            int `json:"calls"`
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Judge asks a model about the labels of one run's screens. It is safe for concurrent use, and asks
// one question at a time.
type Judge struct {
	opts   Options
	asking wait.Mutex // held while the model is asked

	mu    sync.Mutex
	tried map[string]bool // labels about which the model gave no answer in this run, by key
	late  int             // answers in a row that did not come in time
	all   Spent
	taken Spent // of all, returned by Take
}

// New returns the judge of a run.
func New(o Options) *Judge {
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	o.Tokens = cmp.Or(o.Tokens, 20_000)
	return &Judge{opts: o, asking: wait.NewMutex(), tried: map[string]bool{}}
}

const (
	patience = time.Minute // how long a request ahead of a decision may take
	mostLate = 2           // from this many late answers in a row on, no touch waits
)

// Prepare asks the model about those of the app's labels of which nothing is remembered. It returns
// when the answer is remembered or ctx ends. What could not be found out is no error: Acts says so.
func (j *Judge) Prepare(ctx context.Context, app string, labels []string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, _ = j.acts(ctx, ctx, app, labels, nil)
}

// errLate ends the wait for the model.
var errLate = errors.New("the judge has not answered in time")

// Acts returns what touching the labels of the app does, by the labels as they were given. Labels
// about which nothing could be found out in time are missing. If the model has to be asked, it is
// asked about others of the screen as well, in the same question. An error is one of the memory,
// or ctx's.
func (j *Judge) Acts(
	ctx context.Context, app string, labels []string, others func() []string,
) (map[string]Act, error) {
	timeout := j.opts.Timeout
	if j.stalls(0) {
		timeout = 0
	}
	timed, cancel := context.WithTimeoutCause(ctx, timeout, errLate)
	defer cancel()
	acts, err := j.acts(ctx, timed, app, labels, others)
	if errors.Is(err, errLate) {
		j.stalls(1)
		return acts, nil
	}
	return acts, err
}

// AboutMoney reports whether it is remembered of the app that it is about money, and whether
// anything is. No model is asked.
func (j *Judge) AboutMoney(ctx context.Context, app string) (about, known bool, err error) {
	words, err := j.opts.Memory.Judged(ctx, app, []string{App})
	word, known := words[App]
	return word == string(Money), known, err
}

// stalls reports whether the model is late all the time, with these late answers more.
func (j *Judge) stalls(more int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.late += more
	return j.late >= mostLate
}

// Take returns what judging has cost since the last Take.
func (j *Judge) Take() Spent {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := Spent{j.all.Calls - j.taken.Calls, j.all.PromptTokens - j.taken.PromptTokens,
		j.all.CompletionTokens - j.taken.CompletionTokens}
	j.taken = j.all
	return s
}

// acts waits for the memory while ctx lasts, and for the model while timed does.
func (j *Judge) acts(
	ctx, timed context.Context, app string, labels []string, others func() []string,
) (map[string]Act, error) {
	keys := keysOf(labels)
	known, err := j.remembered(ctx, app, keys)
	if err == nil && len(j.unknown(app, keys, known)) > 0 {
		if err = j.asking.Lock(timed); err == nil {
			defer j.asking.Unlock()
			var more []string
			if others != nil {
				more = keysOf(others())
			}
			known, err = j.ask(ctx, timed, app, keys, more)
		}
	}
	acts := map[string]Act{}
	for _, label := range labels {
		if act, is := known[Key(label)]; is {
			acts[label] = act
		}
	}
	return acts, err
}

// keysOf are the keys of labels that have one, each once.
func keysOf(labels []string) (keys []string) {
	for _, l := range labels {
		if k := Key(l); k != "" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// remembered is what the memory has of the keys.
func (j *Judge) remembered(
	ctx context.Context, app string, keys []string,
) (map[string]Act, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	words, err := j.opts.Memory.Judged(ctx, app, keys)
	acts := map[string]Act{}
	for k, w := range words {
		acts[k] = Act(w)
	}
	return acts, err
}

// unknown is the keys of which nothing is known, and about which the model was not asked in vain.
func (j *Judge) unknown(app string, keys []string, known map[string]Act) (list []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, k := range keys {
		if _, is := known[k]; !is && !j.tried[app+"\n"+k] {
			list = append(list, k)
		}
	}
	return list
}

// ask asks the model about what is still unknown, and remembers what it says. If none of the keys
// is, it asks about no others.
func (j *Judge) ask(
	ctx, timed context.Context, app string, keys, others []string,
) (map[string]Act, error) {
	known, err := j.remembered(ctx, app, append(others, keys...)) // by now, perhaps
	list := j.unknown(app, keys, known)
	if err != nil || len(list) == 0 || j.spent() >= j.opts.Tokens {
		return known, err
	}
	if timed.Err() != nil {
		return known, context.Cause(timed)
	}
	for _, k := range j.unknown(app, others, known) {
		if len(list) < maxLabels && !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	list = list[:min(len(list), maxLabels)]
	acts, money, err := j.put(timed, app, list)
	if timed.Err() != nil { // it may be asked again
		return known, context.Cause(timed)
	}
	j.answered(app, list, err)
	if err != nil {
		return known, nil
	}
	said := map[string]string{App: ""}
	if money {
		said[App] = string(Money)
	}
	for i, k := range list {
		said[k] = string(acts[i])
	}
	if err := j.opts.Memory.Remember(ctx, app, said); err != nil {
		return known, err
	}
	return j.remembered(ctx, app, keys)
}

// answered notes that the model said something about the labels, or that it could not be asked or
// understood: then they stay unknown for the run.
func (j *Judge) answered(app string, labels []string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.late = 0
	for _, l := range labels {
		if err != nil {
			j.tried[app+"\n"+l] = true
		}
	}
}

func (j *Judge) spent() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.all.PromptTokens + j.all.CompletionTokens
}

// put asks the model about the labels, and returns the acts by their place in the list, and whether
// the app is about money.
func (j *Judge) put(
	ctx context.Context, app string, labels []string,
) (acts map[int]Act, money bool, err error) {
	shown, err := data(app, labels)
	if err != nil {
		return nil, false, err
	}
	heat := 0.0
	resp, err := j.opts.Model.Complete(ctx, model.Request{
		Messages: []model.Message{{Role: "system", Parts: []model.Part{{Text: rules}}},
			{Role: "user", Parts: []model.Part{{Text: shown}}}},
		MaxTokens: replyTokens, Temperature: &heat,
	})
	j.mu.Lock()
	j.all.Calls++
	j.all.PromptTokens += resp.Usage.PromptTokens
	j.all.CompletionTokens += resp.Usage.CompletionTokens
	j.mu.Unlock()
	switch {
	case err != nil:
		return nil, false, err
	case resp.Truncated():
		return nil, false, fmt.Errorf("the reply was cut off after %d tokens", replyTokens)
	}
	return parse(resp.Text, len(labels))
}

// Key is what a label is remembered by: cut, in lower case, with its numbers left out, so that
// "3 new messages" and "4 new messages" are one. It is "" for a label without a letter.
func Key(label string) string {
	var b strings.Builder
	letters, digits := false, false
	for _, r := range strings.ToLower(text.Cut(text.Line(label), maxLabel)) {
		letters = letters || unicode.IsLetter(r)
		switch {
		case !unicode.IsDigit(r):
			b.WriteRune(r)
		case !digits:
			b.WriteByte('#')
		}
		digits = unicode.IsDigit(r)
	}
	if !letters {
		return ""
	}
	return b.String()
}
