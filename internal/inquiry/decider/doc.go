// Package decider lets a model decide a question in a person's place, or draft the answer for one.
//
// A [Decider] is one call of a model: it is shown what the question is about, what was done and
// said before it, and the screen, all of it quoted as data. It names one of the choices, writes an
// answer or a form's values, or says that it cannot decide; anything else that it writes is an
// error. Which questions no model is asked, inquiry.Question.ForModels says.
package decider
