// Package mirror shows phones live.
//
// A [Mirror] captures each phone once, however many look at it, and only while somebody does. A
// picture is made only when the screen has changed, at a bounded rate and in a bounded size; while
// nothing moves the phone is captured seldom, and what it gives is not even decoded. Every [Viewer]
// takes the newest picture that it has not had: a slow one skips those in between, and holds up no
// other.
//
// Touches of a person go through the same phone that is shown, so that places on the picture are
// places on the screen. Who may touch is not decided here.
package mirror
