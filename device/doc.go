// Package device is phones over ADB: find them, look at them, touch them.
//
// A [Host] is one ADB server. [Host.List] lists its phones, [Host.Open] gives one of them as a
// [Phone], which looks ([Phone.Look]) and touches (it is an [actions.Surface]). Nothing runs a
// process per command: every read and touch is one service of the server's protocol, with a
// deadline.
//
// It promises that a frame shows exactly what the phone showed, that a refused touch is an error,
// that a text is typed exactly or refused and never runs as a command, and that an app is launched
// only if its name matches well.
package device
