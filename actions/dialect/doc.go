// Package dialect knows how each family of models is prompted and how its replies are read.
//
// A [Dialect] turns a [Situation] into the messages of a request, a [Reply] into an action with points on the screen, and a
// reply that it could not read into a message that asks again. Inside taploop there is one vocabulary of actions; what a
// family calls them, which unit its coordinates have and which picture it wants to see stays here. Today there is one:
// gelab, the dialect of gelab-zero.
//
// Prompts are made of our own sentences and of texts from elsewhere: the task, answers, the model's own summary, what a
// phone said. Those are put in as JSON strings, on one line, so that nothing in them can pass for a part of the prompt,
// and they are cut, with a word about it, when they are very long. Only the newest picture of the screen is sent; what came
// before it is in the model's summary.
package dialect
