// Package model asks vision models over the OpenAI chat completions protocol; it knows no phones.
//
// A [Client] talks to one model at one endpoint: Ollama, vLLM, llama.cpp, a hosted service. It sends texts and JPEG
// pictures, retries what is worth retrying, counts tokens, and returns errors that say what is wrong and carry a mend.
// Keys are [Secret] and never reach errors, logs or files.
//
// Bottom up: shape.go writes the parameters into the request body, retry.go judges what is tried again, call.go runs one
// call through both, reply.go reads what came back and errors.go words what went wrong. Record and replay work below all of
// that, as [http.RoundTripper]: [NewRecorder] writes each exchange to a file, [NewReplayer] answers from it offline.
package model
