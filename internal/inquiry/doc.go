// Package inquiry puts questions to people: durable, one resolution each, first answer wins.
//
// A [Question] is stored before anybody hears of it. A [Broker] settles it exactly once, for the
// one that comes first: a tool call, an HTTP request, a console, a model, a timer or a stop. All of
// them go through one compare-and-set in the [Store], which is on disk before a waiter or a
// subscriber hears of it. Everyone who comes later learns who won, when and how.
//
// Resolving and applying differ: an accepted answer is kept until its asker has applied it, even
// across a crash, and an answer that a stop overtook is kept but never applied.
//
// A question wants a text, one of some options, a form of typed fields or an edited draft. What
// does not fit is an [InvalidReplyError] in words, and leaves the question open. The answer to a
// form is one JSON object, checked field by field and kept in one spelling, so that the same reply
// is known again in any other; [Schema] describes it to other programs.
//
// The package knows no phones, does no network and no logging.
package inquiry
