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
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/schema"
)

// descriptions has a section for each type, and a line for each of its keys.
//
//go:embed descriptions.txt
var descriptions string

// Schema is that of one of the results. Each of its keys is declared and described, and nothing
// else is allowed.
func Schema[T any]() *schema.Schema { return schemas()[reflect.TypeFor[T]()] }

// schemas are made when they are needed first: most commands never list tools.
var schemas = sync.OnceValue(func() schema.Types {
	types, sections := schema.NewTypes(), schema.Sections(descriptions)
	addEnums(types)
	add[Device](types, sections)
	add[Step](types, sections)
	add[Next](types, sections)
	add[Timing](types, sections)
	add[Waiting](types, sections)
	add[Usage](types, sections)
	add[inquiry.Field](types, sections)
	add[inquiry.Channel](types, sections)
	add[inquiry.Spending](types, sections)
	add[inquiry.ActionRequest](types, sections)
	add[inquiry.ReviewConfig](types, sections)
	add[OpenQuestion](types, sections)
	add[Holder](types, sections)
	add[Winner](types, sections)
	status := types[reflect.TypeFor[Winner]()].Properties["status"]
	status.Enum = status.Enum[1:] // without pending
	add[Failure](types, sections)
	schema.AddEnum(types, agentloop.IsVerified, agentloop.Unverified, agentloop.Contradicted)
	add[Verification](types, sections)
	// whose keys are described where it is, since every conversation pays for them many times
	types[reflect.TypeFor[skill.Report]()] = &schema.Schema{Type: "object"}
	add[Result](types, sections)
	add[Inquiry](types, sections)
	add[Pending](types, sections)
	add[ListedPhone](types, sections)
	add[Phones](types, sections)
	add[Serials](types, sections)
	add[Session](types, sections)
	add[Sessions](types, sections)
	add[usecase.ListedSkill](types, sections)
	add[Skills](types, sections)
	add[Element](types, sections)
	add[Screenshot](types, sections)
	return types
})

func add[T any](types schema.Types, sections map[string]string) {
	words := schema.ParseWords(sections[reflect.TypeFor[T]().Name()], nil)
	schema.Add[T](types, words)
}

func addEnums(types schema.Types) {
	schema.AddEnum(types, store.States()...)
	reasons := []agentloop.StopReason{
		agentloop.TaskCompleted, agentloop.TaskAborted, agentloop.MaxStepsReached,
		agentloop.ManualStop, agentloop.UserPaused,
		agentloop.NotStarted, agentloop.StillRunning, agentloop.ClientDetached,
		agentloop.Cancelled, agentloop.ModelOutputInvalid, agentloop.ModelError,
		agentloop.ModelKeyRefused,
		agentloop.DeviceDisconnected, agentloop.ScreenLocked, agentloop.Stuck,
		agentloop.ServerRestarted, agentloop.SessionExpired, agentloop.QuestionTimedOut,
		agentloop.QuestionLimit, agentloop.TimeLimitReached, agentloop.ReplayDiverged,
		agentloop.SkillDiverged,
		agentloop.SecureScreen, agentloop.DeviceError, agentloop.InternalError,
		agentloop.ActionRejected, agentloop.PolicyDenied,
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
	schema.AddEnum(types, FieldTypes...)
	schema.AddEnum(types, inquiry.Routine, inquiry.Sensitive, inquiry.Critical)
}

// FieldTypes are those of a field of a form.
var FieldTypes = []inquiry.FieldType{inquiry.TextField, inquiry.ChoiceField, inquiry.ChoicesField,
	inquiry.YesNoField,
	inquiry.NumberField, inquiry.DateField}
