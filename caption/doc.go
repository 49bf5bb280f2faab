// Package caption puts a screen into words, and answers the agent's questions in its user's place.
//
// Both are one call of a vision model: [Captioner.Describe] says what of a screen matters for a
// task, [Captioner.Reply] answers a question from the task and the screen. What is on the screen,
// in the task and in the question is quoted to the model as data; the prompt forbids following it,
// and consenting to a payment, a permission or a deletion.
package caption
