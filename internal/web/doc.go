// Package web serves people and programs over HTTP: the API at /v1 and the inbox page at /ui.
//
// From the bottom up: [Logins] keeps one-time login links and the browsers that used one. Every
// request is checked for its Host and Origin, and every route but the page's own files wants a
// credential: a bearer token, or the login of the page, which the page keeps in the storage of its
// origin and sends as a header. A token's bearer sees what belongs to the token's name, by its
// session or by the question's own client, and everything else is answered like something that does
// not exist; a browser that came by a link of the operator sees everything. Answers go through
// [Questions], where one compare-and-set decides who was first. What happens is numbered in one
// bounded ring, from which any number of listeners read at their own pace; who falls behind gets a
// snapshot again, and those who come at once share one.
//
// The package cannot reach phones: it reads the store and resolves questions. Runs are started,
// steered and stopped through [Tasks], the use cases that the MCP tools call, too. A chat
// completion is a turn of a conversation about a session. A live phone comes as pictures of a
// mirror, and a person's touch goes to [Phones], which knows whether a person has the phone.
package web
