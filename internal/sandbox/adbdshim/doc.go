// Package adbdshim puts Android's commands of a simulated phone on the PATH of a real shell, such
// as that of the real adbd.
//
// One binary answers to many names: [Install] makes a link per command, and a program whose name is
// one of [Names] is a stand-in: it hands its words to the phone over the unix socket in
// $TAPLOOP_SANDBOX_SOCKET and passes on what comes back. [Serve] is the phone's side. Files that a
// command writes (screencap FILE) are written by the stand-in itself, on the machine and with the
// rights of its caller. None of the commands reads stdin.
package adbdshim
