// Package sandbox is a simulated phone: a display, keys and a touch screen, and apps that draw
// themselves.
//
// A [Simulator] looks and behaves like a small Android phone: launcher, Settings, Messages, Notes,
// Clock and Shop, a soft keyboard, lock screen, dialogs, transitions and rotation. Its screen is
// one tree of views ([sandbox/ui]). Drawing, hit testing and the UI dump all come from that tree,
// so the picture, the touches and the dump cannot differ. The apps ([sandbox/apps]) are
// state machines over plain data, and [Simulator.Tasks] check that data: success is measured.
//
// The package knows neither ADB nor shells: [sandbox/shell] puts Android's commands on top of it.
package sandbox
