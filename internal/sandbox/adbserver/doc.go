// Package adbserver is an ADB server whose phones are simulated: it speaks the protocol that ADB
// clients speak on port 5037, so that adb, libraries and this project's own client use a
// [sandbox.Simulator] with nothing else installed.
//
//	s := adbserver.New()
//	s.Attach("sandbox-1", shell.New(sandbox.New(nil)))
//	go s.Serve(ctx, listener)	// then: adb -P PORT shell input tap 100 200
//
// It was written from the protocol's description and knows nothing of the client in this project,
// so that a mistake of one is not hidden by the same mistake of the other. Phones can be made to
// fail in the ways that real ones do: see [Server.SetState], [Server.Hang], [Server.SetLatency],
// [Server.CorruptCaptures] and [Server.DropConnections].
package adbserver
