// Package dialect is the seam between the loop and families of models: how each is prompted and how
// its replies are read.
//
// A [Dialect] turns a [Situation] into a [Request], a reply into an action with points on the
// screen, and a reply that it could not read into messages that ask again. Inside taploop there is
// one vocabulary of actions. A family's names for them, its unit of coordinates, the pictures it
// needs and the turns it is shown again are decided in its package. Its [Forms] are one table for
// the forms read and written. A [Table] lists the families that can be chosen. Package
// families has taploop's table.
//
// Prompts combine fixed sentences with texts from elsewhere: the task, answers, the model's
// summary, a phone's messages. [Quote] puts such a text on one line, so that nothing in it can pass
// for a part of the prompt. It cuts very long texts and says so.
package dialect
