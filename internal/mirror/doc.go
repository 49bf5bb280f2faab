// Package mirror shows phones live.
//
// A [Mirror] captures each phone once, however many look at it, and only while somebody does. A
// picture is made only when the screen has changed, at a bounded rate and in a bounded size. While
// nothing moves, captures are rare and are not decoded. Every [Viewer] takes the newest picture
// that it has not had. A slow viewer skips pictures and does not delay another one.
//
// Touches of a person go through the same phone that is shown, so that places on the picture are
// places on the screen. Who may touch is not decided here.
package mirror
