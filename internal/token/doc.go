// Package token keeps the bearer tokens of the HTTP server: the name of each, and a hash instead of
// the token itself.
//
// A token is 256 random bits, so its hash needs no salt and no slow function. The file is read at
// each use: a token that another process creates or revokes is known, or refused, from the next
// request on.
package token
