// Package agentloop runs one task on one phone, step by step: look, decide, ask or act, write down.
//
// A [Runner] pursues one goal on one phone. Run is synchronous and starts no goroutines, so that
// its caller owns its lifetime, and so that it can be tested in a testing/synctest bubble. The
// Runner sees its surroundings through small interfaces: [Phone], [Policy], [Gate], [Parker] and
// [Journal]. It knows no ADB, no model, no store, no HTTP.
//
// It promises that a gesture is carried out only if the policy saw the frame and the gate allowed
// it, that its intent is in the journal before the phone is touched, and that a run is completed
// only if the policy says so.
package agentloop
