// Package shell is the command line of the simulated phone: Android's commands, and as much of a
// POSIX shell as lines over ADB use.
//
// [Shell.Run] takes a line as adb shell does. [Shell.Exec] runs one command whose words are already
// split, for a phone whose shell is a real one. The commands act on a [sandbox.Simulator] and
// answer with the texts, streams and exit codes of an Android 14 phone, as far as tools look at
// them.
//
// A line has commands, quotes and $?, pipes, redirections of output, groups, and lists with
// semicolons, && and ||. The rest of a shell (variables, $(...), loops, functions, jobs, eval) is
// refused by name. Nothing of the machine that this runs on can be reached: there are no processes,
// no host files, no host environment, no users.
package shell
