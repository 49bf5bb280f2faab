// Package scripted is an OpenAI-compatible endpoint that answers from a script, for demos and tests
// without a model.
//
// A script is a list of rules. Each request is answered by the first rule whose `when` matches the
// texts of the last user message and whose `times` is not used up:
//
//	rules:
//	  - when: '(?s)Question: which size.*Answer: (?P<size>\w+)'
//	    reply: "type ${size}"
//	  - when: alarm
//	    times: 1
//	    status: 503
//	  - reply: done            # no `when`: matches everything
//
// Rules match the prompt and do not count the requests, so a script continues correctly after a
// crash of either side. `when` is a Go regular expression. The reply has the text of its named
// groups for ${name} ($${ is a plain ${). A rule may give `reply`, `reasoning`, `tool_calls`,
// `finish_reason`, or a `status` from 400 on (then `reply` is the error's message), and a `delay`
// before any of them. A request that no rule matches gets a 400 that names the script and quotes
// the text.
//
// A guard's question which labels of a screen do harm is no request of the script: it is answered
// with none of them, and uses up no rule.
//
// The endpoint checks requests as a real one does: JSON, model, messages, roles, pictures that
// decode. It takes any key and any model, and does not stream.
package scripted
