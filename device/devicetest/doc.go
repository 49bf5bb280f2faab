// Package devicetest says what a phone has to do, as a test: [Run] is the contract for whatever
// looks and touches.
//
// It runs on device.Phone before every phone that there is to talk to (the simulated one through
// its own ADB server, the same one behind Android's own adb server and adbd, a real one), and on
// [Fake], the small phone in memory that tests of other packages use. A double that passes here may
// be trusted there.
package devicetest
