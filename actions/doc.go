// Package actions holds the closed vocabulary of what can be done on a phone: the actions, their
// checks, and how each is carried out on a [Surface].
//
// An [Action] is one member of the vocabulary, and has a file of its own: its fields, what is wrong
// with them, its words and its JSON; [Points] and [Texts] are read from the fields. A [Gesture] is
// an action that touches the phone: it has a Do. The others (INFO, COMPLETE, ABORT, NOTE) are for
// the loop. Points are fractions of the frame, see [screen.Point]; the surface turns them into the
// phone's coordinates, in one place, for every verb.
//
// [Marshal] and [Unmarshal] write an action as JSON and read it back, [Describe] words it for
// people, [Vocabulary] lists the members.
//
// A [Decision] is an action with what the model said around it. The package does no network and no
// logging.
package actions
