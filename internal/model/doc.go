// Package model is a client of vision models over the OpenAI chat completions protocol. It knows no
// phones.
//
// A [Client] talks to one model at one endpoint: Ollama, vLLM, llama.cpp, a hosted service. It
// sends texts, JPEG pictures and tool schemas, retries transient failures, and returns errors that
// carry a hint. Keys are [Secret] and never reach errors, logs or files.
//
// Bottom up: request.go writes the body, in go-openai's types, with parameters of any name. call.go
// sends it, and retry.go decides which calls are tried again. reply.go reads the reply, and
// errors.go words the errors. Record and replay work below all of that, as [http.RoundTripper]:
// [NewRecorder] writes each exchange to a file, [NewReplayer] answers from it offline.
package model
