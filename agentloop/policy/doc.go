// Package policy joins a model and a dialect into the next action.
//
// [New] makes an [agentloop.Policy]: the dialect words the situation, with as many past turns and
// pictures as it wants, the model answers, the dialect reads the reply. A reply that is no action
// is asked again, with what was wrong about it, at most [repairs] times. Every call of the model is
// in the proposal's Tries, even with an error. [WithCaptions] adds the frame in words, made while
// the model decides.
package policy
