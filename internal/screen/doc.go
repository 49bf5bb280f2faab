// Package screen has a phone's screen: frames, sizes, points as fractions of a frame, and the state
// read with a frame.
//
// It decodes what screencap sends (PNG, or raw RGBA), scales and encodes frames for models, and
// tells frames apart by fingerprint. It does no network and no logging, and knows no phone.
package screen
