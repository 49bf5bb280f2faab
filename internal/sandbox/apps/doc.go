// Package apps is the apps of the simulated phone: small state machines over plain data.
//
// An [App] opens as a [Task] with one [Page]. A page builds its view from its state, and the views'
// handlers change the state, push pages, ask with a [Dialog] or show a toast through the [Host]
// that they run on. What apps store is in [Data], as plain values, so that a check can look at it.
package apps
