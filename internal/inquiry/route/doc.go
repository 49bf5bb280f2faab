// Package route takes open questions from channel to channel until they are settled.
//
// A reply mode says through which channels a question goes, and for how long each is in turn;
// [Plan] writes that into a new question. A [Router] then lets one channel after the other ask.
// Whose turn it is is part of the stored question: it survives the process, everybody reads it
// along with whether the question is open, and a Router goes on where another one stopped. The
// Router itself keeps nothing that matters.
package route
