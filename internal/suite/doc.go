// Package suite is tests of phones in words: suites of cases, read from files, and what came of
// them. From the bottom up: a definition says which keys a file has (package keys reads files by
// it, and makes the JSON Schema from it), [Read] reads files and folders, [Select] chooses
// and expands the cases, and a [Result] is what came of one.
//
// The package touches no phone. What a case expects is checked in package suite/expect, cases are
// carried out in package suite/play, and results are written in package suite/report.
package suite
