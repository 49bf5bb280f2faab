// Package runs starts, continues, awaits and stops agent runs on phones.
//
// A [Manager] owns the goroutine of each run and the lease of each phone. A run lives as long as
// the Manager, never only as long as the call that started it: calls attach to runs by waiting. The
// command line and the MCP tools are callers of the same Manager, and several Managers, in one
// process or in several, may share a data folder.
//
// What it promises: a phone is touched by one run at a time; a question for a person is stored
// before the run stops for it, and the answer, through whichever channel, is applied once, even
// after a crash; a stopped run leaves the phone alone within one action; a call that cannot be
// carried out changes nothing and is an [Error] with a code.
package runs
