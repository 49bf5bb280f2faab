package agentloop

// Waiting is how a run stands that waits for the answer to a question.
type Waiting struct {
	Reason StopReason
	State  string // of the run, in the store
}

// waitings are by kind of question. A kind that is not here waits as KindInfo does.
var waitings = map[string]Waiting{
	KindInfo:     {InfoNeedsReply, "WAITING_REPLY"},
	KindApproval: {ActionNeedsApproval, "WAITING_APPROVAL"},
	KindTakeover: {TakeoverNeeded, "WAITING_TAKEOVER"},
}

// WaitingFor is how a run stands that has parked a question of the kind.
func WaitingFor(kind string) Waiting {
	if w, ok := waitings[kind]; ok {
		return w
	}
	return waitings[KindInfo]
}

// IsWaiting reports whether a run in this state waits for an answer.
func IsWaiting(state string) bool {
	for _, w := range waitings {
		if w.State == state {
			return true
		}
	}
	return false
}
