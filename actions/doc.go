// Package actions holds the closed vocabulary of what can be done on a phone: the actions, their
// checks, and how each is carried out on a [Surface].
//
// An [Action] is one member of the vocabulary. Its file has its fields, their checks and its words.
// A [Gesture] is an action with a Do, which touches the phone. The others (INFO, COMPLETE, ABORT,
// NOTE) are for the loop. Points are fractions of the frame, see [screen.Point]. The surface turns
// them into the phone's coordinates, in one place, for every verb.
//
// [Marshal] and [Unmarshal] write an action as JSON and read it back, [Describe] words it for
// people, [Vocabulary] lists the members.
//
// A [Decision] is an action with what the model said around it. The package does no network and no
// logging.
package actions
