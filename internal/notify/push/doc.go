// Package push speaks Web Push to browsers: RFC 8030, encrypted as RFC 8291 wants it and signed as
// RFC 8292 does.
//
// [Browsers] keeps in a file the key of the data folder, made when it is first asked for, and the
// browsers that have subscribed. It sends nothing: it makes requests.
package push
