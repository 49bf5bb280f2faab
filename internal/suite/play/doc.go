// Package play carries out the cases of suites on phones. The phones work from one queue; each
// attempt of a case has a [Scene] for itself: set-up, the agent's run with the suite's replies and
// decisions, expectations, teardown. What came of it is a suite.Result.
package play
