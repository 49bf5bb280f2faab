// Package adbtest lets tests talk to Android's own adb server and adbd, in private namespaces of
// this machine.
//
// A package that wants the rig hands its TestMain over:
//
//	func TestMain(m *testing.M) { adbtest.Main(m) }
//
// and a test starts a server with phones, whose framework commands are stand-ins in a folder of the
// caller's:
//
//	rig := adbtest.Start(t, &adbtest.Options{Phones: []adbtest.Daemon{{Standins: dir}}})
//	host, err := device.NewHost(&device.Options{Server: rig.Server})
//
// adbd listens on every interface and asks for no key, so it must never run in the open. Main
// therefore runs the test binary again in network, mount and process namespaces of its own (and a
// user namespace when not root), where only the loopback interface exists, /bin/sh is mksh and
// /system/bin is toybox as on Android, /sdcard and /data/local/tmp exist, and the kernel ends every
// process when the test binary ends. Nothing of it can be seen or reached from outside, and the
// network outside cannot be reached from the tests.
//
// A rig that cannot run fails the test and says what to do. TAPLOOP_RIG=off leaves such tests out;
// both outcomes are written to the file that TAPLOOP_RIG_REPORT names. scripts/setup fetches the
// programs into .cache/rig.
package adbtest
