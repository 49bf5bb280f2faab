// Package ui is the kit that the simulated phone's screens are made of: a declared tree of views.
//
// A screen is rebuilt from its state whenever it is needed: [Column], [Row], [List], [Text],
// [Button], [Input] and so on make a tree of [View]s, [Layout] makes of it a tree of [Placed] ones,
// and that answers four questions: [Paint] what to draw, [Placed.At] which view a finger touches,
// [Placed.Node] what uiautomator would list, and which field has the focus. What must survive a
// rebuild (scroll positions, focus, cursors) is kept in a [Memory] under the views' names.
//
// Sizes are in dp as on Android and become pixels by the density. Colours are roles of a [Theme] or
// plain RGB. Nothing here is safe for concurrent use except the glyph cache behind [Draw].
package ui
