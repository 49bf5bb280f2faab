package channel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// Channel is one way in which a question reaches somebody who answers.
type Channel struct {
	Name   string // among a question's channels, and in a reply mode when it can be a step of one
	Label  string // what people are shown, in English; words/LANG/page.yaml has it in others
	Short  string // a shorter name, which is taken wherever somebody writes a reply mode; or ""
	Stored string // under which an answer through it is stored, one of inquiry's channels
	Step   bool   // can be a step of a reply mode

	Authority string // of an answer through it; "" when the sender says it

	// Of a step.
	Person    bool   // a person answers there
	OutOfBand bool   // somebody other than the client is asked
	Last      bool   // nothing comes after it
	Needs     string // what has to be there for it to ask; "" for one that waits until it is asked
	Provide   string // how that is provided
	Help      string // what happens then, for the model of a client
	Guide     string // and for people, in the table of docs/answering.md
}

// The names of the channels that can be steps of a reply mode.
const (
	PassToClient Mode = "pass_to_client" // the run waits for an answer from outside
	Elicit       Mode = "elicit"         // the client that waits for the run shows its user a form
	ManualReply  Mode = "manual_reply"   // the person at the console answers
	AutoReply    Mode = "auto_reply"     // a model answers
	Model        Mode = "model"          // the deciding model answers, or says that it cannot
	NoReply      Mode = "no_reply"       // the run continues without an answer
)

// registry is all channels: first the steps, in the order in which they are explained.
var registry = []Channel{
	{Name: string(PassToClient), Label: "MCP client", Short: "pass",
		Stored: inquiry.ChannelMCP, Step: true, Person: true,
		Help: "returns the question to you, for your user",
		Guide: "the default of MCP calls, of pipes and of `--json`: the run waits in the store, " +
			"the command ends with exit code 4 and the session's id; `taploop continue SESSION " +
			"--reply TEXT` goes on, today or tomorrow, even after a crash"},
	{Name: string(Elicit), Label: "client's dialog", Stored: inquiry.ChannelElicit,
		Step: true, Person: true,
		Authority: inquiry.AuthorityClientUI,
		Help:      "shows your user a form, if you can show forms",
		Guide:     "the MCP client shows its user a form, when it can; only with `taploop serve`"},
	{Name: string(ManualReply), Label: "console", Short: "manual",
		Stored: inquiry.ChannelConsole, Step: true, Person: true,
		OutOfBand: true, Authority: inquiry.AuthorityLocalOperator,
		Needs: "a console", Provide: "run at a terminal",
		Help: "asks the person at the server's console",
		Guide: "the terminal asks, in your language (English or Chinese); an empty line asks " +
			"again, `/refuse` refuses, `/delegate` leaves it to the agent, `/timeout` does what " +
			"silence does, `/stop` ends the run"},
	{Name: string(AutoReply), Label: "model", Short: "auto",
		Stored: inquiry.ChannelModel, Step: true, OutOfBand: true,
		Authority: inquiry.AuthorityAgent,
		Needs:     "a model that answers", Provide: "configure a model that answers",
		Help: "lets a model answer in the person's place, " +
			"and the result's notes say what it answered",
		Guide: "a model answers from the task, the question and the screenshot; the answer is " +
			"marked as a model's"},
	{Name: string(Model), Label: "model",
		Stored: inquiry.ChannelModel, Step: true, OutOfBand: true,
		Authority: inquiry.AuthorityAgent,
		Needs:     "that deciding model", Provide: "configure it under models",
		Help: "(or model:NAME) lets the server's deciding model answer, " +
			"which passes the question on when it cannot decide",
		Guide: "or `model:NAME`: a deciding model answers, or says that it cannot and the next " +
			"one is asked ([more](notifications.md#deciding-models))"},
	{Name: string(NoReply), Label: "timer", Short: "no",
		Stored: inquiry.ChannelTimer, Step: true, OutOfBand: true, Last: true,
		Needs: "a timer", Provide: "use another mode",
		Help:  "tells the agent to go on without an answer",
		Guide: "the model is told to go on and not to ask"},

	{Name: inquiry.ChannelPage, Label: "inbox page", Stored: inquiry.ChannelPage},
	{Name: inquiry.ChannelHTTP, Label: "HTTP", Stored: inquiry.ChannelHTTP},
	{Name: inquiry.ChannelCommandLine, Label: "command line", Stored: inquiry.ChannelCommandLine},
	{Name: inquiry.ChannelClient, Label: "client", Stored: inquiry.ChannelClient},
	{Name: inquiry.ChannelSuite, Label: "test suite", Stored: inquiry.ChannelSuite},
	{Name: inquiry.ChannelMemory, Label: "remembered answer", Stored: inquiry.ChannelMemory},
	{Name: inquiry.ChannelRun, Label: "the run", Stored: inquiry.ChannelRun},
}

// All are the channels.
func All() []Channel { return slices.Clone(registry) }

// Labels are what people are shown, in English, by the names of the channels and by those under
// which answers through them are stored.
func Labels() map[string]string {
	all := map[string]string{}
	for _, c := range registry {
		all[c.Stored] = cmp.Or(all[c.Stored], c.Label)
		all[c.Name] = c.Label
	}
	return all
}

// Steps are the channels that can be a step of a reply mode.
func Steps() []Channel {
	return slices.DeleteFunc(All(), func(c Channel) bool { return !c.Step })
}

// Settling are those of the channels through which the question can be settled: a client's own call
// settles none that is left to people.
func Settling(q inquiry.Question, list []inquiry.Channel) []inquiry.Channel {
	return slices.DeleteFunc(slices.Clone(list), func(c inquiry.Channel) bool {
		return q.ForPeople() && c.Name == string(PassToClient)
	})
}

// Answer is an answer through the channel of this mode.
func (m Mode) Answer(text string) inquiry.Reply {
	c := Named(string(m))
	return inquiry.Reply{Type: inquiry.TypeAnswer, Response: text, Channel: c.Stored,
		Authority: c.Authority}
}

// People names, in words, the steps of reply modes at which a person answers.
func People() string {
	var names []string
	for _, c := range Steps() {
		if c.Person {
			names = append(names, c.Name)
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Help says what happens at each step of a reply mode, for the model of a client.
func Help() string {
	explained := func(c Channel) string { return c.Name + " " + c.Help }
	return strings.Join(text.Each(Steps(), explained), "; ")
}

// Names are the names of these steps, and then their short ones, for help texts.
func Names(steps []Channel) string {
	var names, short []string
	for _, c := range steps {
		names = append(names, c.Name)
		if c.Short != "" {
			short = append(short, c.Short)
		}
	}
	return strings.Join(names, ", ") + " (or " + strings.Join(short, ", ") + ")"
}

// step is the one with this name, its own or the short one; the zero value if missing.
func step(name string) Channel {
	if c := Named(name); c.Step {
		return c
	}
	lower := strings.ToLower(name)
	for _, c := range registry {
		if c.Step && (c.Name == lower || c.Short != "" && c.Short == lower) {
			return c
		}
	}
	return Channel{}
}

// Named is the channel with this name; the zero value if missing. The deciding model's may
// have a model's name behind it, as in model:fast.
func Named(name string) Channel {
	kind, which, one := strings.Cut(name, ":")
	for _, c := range registry {
		switch {
		case c.Name == name:
			return c
		case one && which != "" && c.Name == string(Model) && strings.EqualFold(kind, c.Name):
			c.Name = string(OfModel(which))
			return c
		}
	}
	return Channel{}
}

// OfModel is the deciding model with this name.
func OfModel(name string) Mode { return Model + ":" + Mode(name) }

// IsModel reports whether the deciding model, or the one of several with a name, answers there.
func (m Mode) IsModel() bool {
	return m == Model || strings.HasPrefix(string(m), string(OfModel("")))
}

// Mode says who answers the questions of a run: one channel, or several that have their turn one
// after the other, for example "elicit -> pass_to_client" or "manual_reply (60s) -> auto_reply".
// The time is how long a channel is in turn; the last one is for as long as the question is
// open. The first answer wins, through whichever channel, even one whose turn is over or has not
// come. A channel may have a short name, for example "manual -> auto"; [Parse] gives the canonical
// text.
type Mode string

// Step is the turn of one channel.
type Step struct {
	Channel
	Time time.Duration // 0: not said
}

// The times that a turn may have.
const (
	minTime = time.Second
	maxTime = 24 * time.Hour
)

// maxQuoted is how many characters of somebody else's words are in a message.
const maxQuoted = 80

// Parse reads a reply mode and gives its canonical text; "" is PassToClient. An error has a hint.
func Parse(mode string) (Mode, error) {
	steps, err := Mode(mode).Steps()
	if err != nil {
		return "", err
	}
	return Of(steps), nil
}

// Of is the canonical text of a mode with these steps.
func Of(steps []Step) Mode {
	var parts []string
	for _, s := range steps {
		part := s.Name
		if s.Time > 0 {
			part += " (" + s.Time.String() + ")"
		}
		parts = append(parts, part)
	}
	return Mode(strings.Join(parts, " -> "))
}

// Steps are the steps of the mode.
func (m Mode) Steps() ([]Step, error) {
	if strings.TrimSpace(string(m)) == "" {
		m = PassToClient
	}
	var steps []Step
	for part := range strings.SplitSeq(strings.ReplaceAll(string(m), "→", "->"), "->") {
		s, err := parseStep(part)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(steps, func(other Step) bool { return other.Name == s.Name }) {
			return nil, invalid("name each channel once", "the reply mode %q has %s twice",
				text.Cut(string(m), maxQuoted), s.Name)
		}
		if n := len(steps); n > 0 && steps[n-1].Last {
			return nil, invalid(fmt.Sprintf("put %s at the end", steps[n-1].Name),
				"in the reply mode %q nothing can come after %s", text.Cut(string(m), maxQuoted),
				steps[n-1].Name)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// Is reports whether the mode is this one channel, however its time is written.
func (m Mode) Is(one Mode) bool {
	steps, err := m.Steps()
	return err == nil && len(steps) == 1 && steps[0].Name == string(one)
}

// Has reports whether the mode has the channel among its steps.
func (m Mode) Has(one Mode) bool {
	steps, err := m.Steps()
	return err == nil &&
		slices.ContainsFunc(steps, func(s Step) bool { return s.Name == string(one) })
}

// Personal reports whether a person is asked at every step.
func (m Mode) Personal() bool {
	steps, err := m.Steps()
	return err == nil && !slices.ContainsFunc(steps, func(s Step) bool { return !s.Person })
}

func parseStep(words string) (Step, error) {
	name, rest, timed := strings.Cut(strings.TrimSpace(words), "(")
	name = strings.TrimSpace(name)
	s := Step{Channel: step(name)}
	if !s.Step {
		names := text.Each(Steps(), func(c Channel) string { return c.Name })
		return s, invalid(
			fmt.Sprintf("use one of %v, or several like %q", names,
				"manual_reply (60s) -> auto_reply"),
			"unknown reply mode %q", text.Cut(name, maxQuoted))
	}
	if !timed {
		return s, nil
	}
	after, ok := strings.CutSuffix(strings.ToLower(rest), ")")
	after = strings.ReplaceAll(after, " ", "")
	if after != "" && strings.Trim(after, "0123456789") == "" {
		after += "s"
	}
	d, err := wait.ParseDuration(strings.TrimSuffix(after, "in")) // "2 min"
	if !ok || err != nil || d < minTime || d > maxTime {
		return s, invalid("write a time from 1s to 24h, for example manual_reply (60s)",
			"the time %q of %s cannot be used", text.Cut(rest, maxQuoted), name)
	}
	s.Time = d
	return s, nil
}

func invalid(remedy, format string, args ...any) error {
	return hint.Add(fmt.Errorf(format, args...), remedy)
}
