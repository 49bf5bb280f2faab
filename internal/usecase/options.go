package usecase

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// Options of Cases. Runs, Questions, Store, Leases and Phones are required.
type Options struct {
	Runs      *runs.Manager
	Questions *inquiry.Broker
	Store     Store
	Leases    Leases
	Phones    runs.Phones
	Goals     bool // goals for agents are accepted
	Skills    skill.Folder
	// SkillTools offers the skills to MCP clients, the first MostSkills of them as tools.
	SkillTools bool
	MostSkills int
	UseSkills  SkillUse // "" means SkillsOff

	// OnTimeout applies to inquiries that do not set it, if a model answers then.
	OnTimeout inquiry.OnTimeout
	Drafts    bool          // a model drafts answers to questions
	ReplyMode channel.Mode  // of a new task that does not say ("" means pass_to_client)
	Reconnect time.Duration // for a phone that went away, 0 means no wait
	MaxSteps  int           // the configured maximum (0 is not mentioned)
	Privacy   Privacy       // "" means PrivacyOff
	Channels  []string      // where every open question is listed, for example inquiry.ChannelPage
	Log       *slog.Logger  // nil discards
}

// SkillUse says what becomes of a task that a skill does.
type SkillUse string

// The ways to use skills.
const (
	SkillsOff   SkillUse = "off"
	SkillsNamed SkillUse = "name" // the result of the call names the skill
	// the skill is repeated in place of the task, if its parameters can be read from the task
	SkillsAuto SkillUse = "auto"
)

// Store is what the use cases read past the Manager. *store.Store implements it.
type Store interface {
	export.Source
	Steps(ctx context.Context, sessionID string, after int) ([]store.StepRecord, error)
	Find(ctx context.Context, id string, of store.Owners) (store.Session, error)
	LatestRun(ctx context.Context, sessionID string) (store.Run, error)
}

// Leases say who holds a phone. A store.Leases implements it.
type Leases interface {
	Holder(ctx context.Context, serial string) (store.Hold, bool, error)
}

// Privacy says what may leave the server.
type Privacy string

// The levels of privacy.
const (
	PrivacyOff      Privacy = "off"      // pictures leave when a client asks for them
	PrivacyCaptions Privacy = "captions" // no picture leaves, and each screen is described in words
)

// Complete returns o with its defaults filled in.
func Complete(o Options) Options {
	o.ReplyMode = cmp.Or(o.ReplyMode, channel.PassToClient)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}
