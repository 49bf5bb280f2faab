// Package pixels has the loops over all pixels of a picture: captures read a row at a time, made
// smaller, and encoded. Nothing in it runs side by side, so the tests of others run it without the
// race detector, which would take most of their time.
package pixels
