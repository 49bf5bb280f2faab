// Package phone is the guard of a phone: what an action on a screen is to the rules of package
// guard, and the [agentloop.Gate] that asks a person when they say so.
//
// [Subjects] finds what is under the finger. A [Gate] decides, and binds each question to the
// action, to what it touches, to the app and to the screen: an approval is used only where all of
// these are as they were, and not for long.
package phone
