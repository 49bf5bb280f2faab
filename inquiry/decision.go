package inquiry

// ActionRequest is an action that waits for a decision, in the shape of LangChain's
// human-in-the-loop middleware.
type ActionRequest struct {
	Name        string         `json:"name"`
	Args        map[string]any `json:"args"`
	Description string         `json:"description,omitempty"` // in words, for people
}

// ReviewConfig says what may be decided about the actions of a name.
type ReviewConfig struct {
	ActionName       string   `json:"action_name"`
	AllowedDecisions []string `json:"allowed_decisions"` // of DecisionTypes
}

// Decision is what is decided about one action.
type Decision struct {
	Type         string        `json:"type"` // one of DecisionTypes
	EditedAction *EditedAction `json:"edited_action,omitempty"`
	Message      string        `json:"message,omitempty"` // why, or the answer
}

// EditedAction is what takes the place of an action.
type EditedAction struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args"`
}

// The decisions.
const (
	Approve = "approve" // it is carried out
	Edit    = "edit"    // EditedAction is carried out in its place
	Reject  = "reject"  // it is not carried out; Message says why
	Respond = "respond" // it is not carried out; Message is the answer to it
)

// DecisionTypes are all of them, in the order in which they are offered.
var DecisionTypes = []string{Approve, Edit, Reject, Respond}

// Severity is how much harm an action can do.
type Severity string

// The severities. Anything else is taken for Critical.
const (
	Routine   Severity = "routine"
	Sensitive Severity = "sensitive"
	Critical  Severity = "critical"
)

// Place is a point of a screenshot, as fractions of its width and height.
type Place struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}
