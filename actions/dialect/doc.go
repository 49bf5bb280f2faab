// Package dialect is the seam between the loop and families of models: how each is prompted and how
// its replies are read.
//
// A [Dialect] turns a [Situation] into a [Request], a reply into an action with points on the
// screen, and a reply that it could not read into messages that ask again. Inside taploop there is
// one vocabulary of actions; what a family calls them, which unit its coordinates have, which
// pictures it wants to see, and whether it is shown its own former turns stays in the family's
// package. Its [Forms] are one table for what is read and what is written. A [Table] lists the
// families that can be chosen; package families holds taploop's own.
//
// Prompts are made of our own sentences and of texts from elsewhere: the task, answers, the model's
// own summary, what a phone said. Those are put in with [Quote], on one line, so that nothing in
// them can pass for a part of the prompt, and they are cut, with a word about it, when they are
// very long.
package dialect
