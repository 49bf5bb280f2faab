// Package shell is the command line of the simulated phone: Android's commands, and a POSIX shell in which only they exist.
//
// [Shell.Run] takes a line as adb shell does and runs it inside this process; [Shell.Exec] runs one command whose words
// are already split, for a phone whose shell is a real one. The commands act on a [sandbox.Phone] and answer with the
// texts, streams and exit codes of an Android 14 phone, as far as tools look at them.
//
// Nothing of the machine it runs on can be reached from a line: there are no processes, no host files, no host
// environment, no users. Redirections, globs and tests see the phone's storage only. Constructs that the interpreter
// would carry out on the host (process substitution, coprocesses) are syntax errors, as they are in the phone's own shell.
package shell
