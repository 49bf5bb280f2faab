package agentloop

// The causes with which an owner cancels the context of Run. The run ends for the matching reason.
// Any other cause ends it as [Cancelled].
var (
	ErrPaused   error = &interruption{UserPaused, "the run was paused"}
	ErrStopped  error = &interruption{Cancelled, "the run was stopped"}
	ErrDetached error = &interruption{ClientDetached, "nobody has waited for the run for too long"}
	ErrClosing  error = &interruption{ServerRestarted, "the server is shutting down"}
	ErrTakeover error = &interruption{TakeoverNeeded, "the phone was taken over"}
)

type interruption struct {
	reason StopReason
	text   string
}

func (i *interruption) Error() string { return i.text }
