// Package store stores sessions with their runs, steps, frames and questions, and the leases of
// phones.
//
// Everything is in one SQLite database in WAL mode under the data folder, with the frames as JPEG
// files next to it. What a method has written when it returns survives a crash of the process, and
// of the machine, too, but for the outcomes of steps and the frames, of which
// docs/design/acting-once.md tells. Several processes may use one data folder at once.
//
// From the bottom up: [Open] migrates the database and registers this process as an [Owner], which
// lives as long as it holds a lock on a file. The [Store] has the sessions, and a part for
// everything else. A [Session] is a phone and a conversation about it, with one of its [Runs] at a
// time. [Runs.Transition] moves a run from state to state by one compare-and-set. [Store.Journal]
// writes a run's steps: the intent before the phone is touched, the outcome after it. Each life of
// a run has a fence number, and a writer from a former life is refused. [Leases] are the rights to
// touch phones. [Runs.Recover] brings back the runs of owners that died: paused, with a note for
// the model, and with no action ever repeated. [Questions] are what waits for people, and the
// [Audit] tells what became of them: rows that are only ever added, in the same transactions.
package store
