// Package phone applies the rules of package guard to actions on a phone's screen.
//
// [Subjects] finds the elements under the finger. A [Gate] decides, and binds each question to the
// action, the touched element, the app and the screen. An approval holds for a short time, and only
// while none of these changes.
package phone
