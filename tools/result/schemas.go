package result

import (
	_ "embed"
	"reflect"
	"slices"
	"sync"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/tools/schema"
)

// descriptions has a section for each type, and a line for each of its keys.
//
//go:embed descriptions.txt
var descriptions string

// Schema is that of one of the results. Each of its keys is declared and described, and nothing
// else is allowed.
func Schema[T any]() *schema.Schema {
	s, t := schemas(), reflect.TypeFor[T]()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.types.Describe(t, s.sections)
	return s.types[t]
}

// described are the schemas made so far.
type described struct {
	mu       sync.Mutex
	types    schema.Types
	sections map[string]string
}

// schemas are made when they are needed first: most commands never list tools.
var schemas = sync.OnceValue(func() *described {
	s := &described{types: schema.NewTypes(), sections: schema.Sections(descriptions)}
	addEnums(s.types)
	// whose keys are described where it is, since every conversation pays for them many times
	s.types[reflect.TypeFor[skill.Report]()] = &schema.Schema{Type: "object"}
	s.types[reflect.TypeFor[inquiry.Interrupt]()] = &schema.Schema{Type: "object"}
	winner := reflect.TypeFor[Winner]()
	s.types.Describe(winner, s.sections)
	status := s.types[winner].Properties["status"]
	status.Enum = status.Enum[1:] // without pending
	return s
})

func addEnums(types schema.Types) {
	schema.AddEnum(types, store.States()...)
	reasons := []agentloop.StopReason{
		agentloop.TaskCompleted, agentloop.TaskAborted, agentloop.MaxStepsReached,
		agentloop.ManualStop, agentloop.UserPaused,
		agentloop.NotStarted, agentloop.StillRunning, agentloop.ClientDetached,
		agentloop.Cancelled, agentloop.ModelOutputInvalid, agentloop.ModelError,
		agentloop.ModelKeyRefused,
		agentloop.DeviceDisconnected, agentloop.ScreenLocked, agentloop.Stuck,
		agentloop.ServerRestarted, agentloop.Restored, agentloop.SessionExpired,
		agentloop.QuestionTimedOut,
		agentloop.QuestionLimit, agentloop.TimeLimitReached, agentloop.ReplayDiverged,
		agentloop.SkillDiverged,
		agentloop.SecureScreen, agentloop.DeviceError, agentloop.InternalError,
		agentloop.StoreUnavailable, agentloop.ActionRejected, agentloop.PolicyDenied,
	}
	for _, k := range inquiry.Kinds() {
		if _, why := store.WaitingFor(k); !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	schema.AddEnum(types, reasons...)
	schema.AddEnum(types, inquiry.Kinds()...)
	schema.AddEnum(types, inquiry.Pause, inquiry.AskModel, inquiry.AskDecider, inquiry.GoOn,
		inquiry.Default, inquiry.GiveUp, inquiry.RejectAll)
	schema.AddEnum(types, inquiry.Pending, inquiry.Answered, inquiry.Refused, inquiry.TimedOut,
		inquiry.Withdrawn, inquiry.Expired)
	schema.AddEnum(types, agentloop.IsVerified, agentloop.Unverified, agentloop.Contradicted)
	schema.AddEnum(types, FieldTypes...)
	schema.AddEnum(types, inquiry.Routine, inquiry.Sensitive, inquiry.Critical)
}

// FieldTypes are those of a field of a form.
var FieldTypes = []inquiry.FieldType{inquiry.TextField, inquiry.ChoiceField, inquiry.ChoicesField,
	inquiry.YesNoField,
	inquiry.NumberField, inquiry.DateField}
