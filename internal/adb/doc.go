// Package adb is a client of the ADB server: one connection per service, every one with a context.
//
// A [Client] is one server: it finds the address the way adb itself does, starts the server when it
// may, and lists phones. A [Device] is one phone behind it: shell commands with exit codes
// ([Device.Shell]), raw output ([Device.Exec]), and any other service ([Device.Open]).
//
// Nothing that a server or a phone sends is trusted: lengths are bounded before memory is taken,
// texts are parsed strictly, and a stream that ends early is an error. Failures are one of the
// sentinels of this package, and carry a hint. Commands are lines for the phone's shell: build them
// with [Quote].
package adb
