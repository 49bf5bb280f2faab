// Package archtest holds the map of the module's packages as a test: which of ours each may import,
// and why.
//
// It parses the files itself. A go list in a child process would not be seen by the test cache, and
// would pass stale.
package archtest
