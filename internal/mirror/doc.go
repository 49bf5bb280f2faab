// Package mirror shows phones live.
//
// A [Mirror] captures each phone once for all its viewers, and only while it has any. It encodes a
// picture only when the screen has changed, at a bounded rate and size. While the screen does not
// change, captures are rare and are not decoded. Every [Viewer] gets the newest picture that it has
// not had. A slow viewer skips pictures and does not delay others.
//
// Touches use the phone that is captured, so that positions in the picture are positions on the
// screen. The caller decides who may touch.
package mirror
