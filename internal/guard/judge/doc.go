// Package judge puts the labels of a screen that the guard does not know to a model: which of them
// pay, send, delete, or do something else that cannot be undone? The model sees labels only, as
// data. What it says is remembered by app and label, so that a label is asked about once.
//
// A judge only raises: the guard asks it about what its own rules do not find, and a model that
// lies, stalls or is talked to by the screen leaves these rules as they were.
package judge
