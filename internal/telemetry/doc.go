// Package telemetry traces runs for OpenTelemetry: [Open] reads the usual environment variables,
// [Traces.Observe] makes spans of a run's events, and a client sends them by OTLP over HTTP.
//
// The spans keep to the conventions for generative AI: invoke_agent is a stretch in which a run is
// carried out, chat a request to a model, and execute_tool an action on the phone. No span has what
// was asked, seen, answered or typed.
package telemetry
