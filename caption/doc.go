// Package caption puts a screen into words, and answers the agent's questions in its user's place.
//
// Both are one call of a vision model: [Captioner.Describe] says what of a screen matters for a
// task, [Captioner.Reply] answers a question from the task and the screen. The texts of the screen,
// the task and the question are quoted to the model as data. The prompt forbids to follow them, or
// to consent to a payment, a permission or a deletion.
package caption
