// Package runs starts, continues, awaits and stops agent runs on phones.
//
// A [Manager] owns the goroutine of each run and the lease of each phone. A run lives as long as
// the Manager, never only as long as the call that started it: calls attach to runs by waiting. The
// command line and the MCP tools both use a Manager. Several Managers, in one process or in
// several, may share a data folder.
//
// A Manager guarantees that one run at a time touches a phone, that a question for a person is
// stored before the run stops for it, and that an answer is applied once, also after a crash. A
// stopped run leaves the phone alone within one action. A call that fails with an [Error] has
// changed nothing.
package runs
