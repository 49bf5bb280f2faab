// Package token stores the bearer tokens of the HTTP server: the name of each token and its hash.
//
// A token has 256 random bits, so its hash needs no salt and no slow function. They are in the
// store and read at each use, so that tokens that another process creates or revokes take effect
// with the next request.
package token
