// Package notify tells people outside that a question waits for them, and what became of it.
//
// A [Notifier] follows the events of questions and delivers each to every endpoint: to webhooks,
// signed as the Standard Webhooks specification wants it, and to a topic of ntfy, which puts it on
// a person's own phone. Each endpoint has a bounded queue and a goroutine of its own, so that a
// slow one holds up no other. What fails is tried again with growing pauses until a bounded time is
// over; what was delivered is remembered in a [Ledger], so that a restart does not send it twice.
// Delivery is at least once: an endpoint knows a message that it has had by its id.
//
// A message says which question waits, since when and where to answer, and of a settled one who
// settled it and through which channel. It never holds an answer.
package notify
