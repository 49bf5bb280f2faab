// Package verify looks whether what a run reports can be seen: by rule on the elements of the last
// screen, and by asking a model that does not know the first one's reasons. It never calls a run
// failed: what it is not sure of is unverified.
package verify
