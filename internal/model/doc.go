// Package model is a client of vision models over the OpenAI chat completions protocol; it knows no
// phones.
//
// A [Client] talks to one model at one endpoint: Ollama, vLLM, llama.cpp, a hosted service. It
// sends texts, JPEG pictures and tool schemas, retries what is worth retrying, and returns errors
// that say what is wrong and carry a hint. Keys are [Secret] and never reach errors, logs or files.
//
// Bottom up: request.go writes the body, in go-openai's types, with parameters of any name; call.go
// sends it, and retry.go judges what is tried again; reply.go reads what came back and errors.go
// words what went wrong. Record and replay work below all of that, as [http.RoundTripper]:
// [NewRecorder] writes each exchange to a file, [NewReplayer] answers from it offline.
package model
