package transport

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

func invalid(text string) *wire.Error { return &wire.Error{Code: mcp.INVALID_REQUEST, Text: text} }

// refuse answers with an error: "the HTTP response body MAY comprise a JSON-RPC error response".
func refuse(w http.ResponseWriter, status int, e *wire.Error) { write(w, status, e.Encode()) }

func unsupported(version string) *wire.Error {
	e := mcp.UnsupportedProtocolVersionError{Version: version,
		Supported: mcp.ValidProtocolVersions}.JSONRPCError().Error
	return &wire.Error{Code: e.Code, Text: e.Message, Data: e.Data}
}

// write writes the whole answer. The caller can do nothing if it does not arrive.
func write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// status returns the HTTP status for an error of a request under 2026-07-28. "If the server does
// not implement the requested RPC method, it MUST respond with 404 Not Found". Invalid requests get
// 400.
func status(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.PARSE_ERROR, mcp.INVALID_REQUEST, mcp.INVALID_PARAMS,
		mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
		mcp.UNSUPPORTED_PROTOCOL_VERSION:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// accepts reports whether the client accepts all these media types. Without an Accept header it
// accepts any.
func accepts(h http.Header, kinds ...string) bool {
	values := h.Values("Accept")
	if len(values) == 0 {
		return true
	}
	var taken []string
	for _, part := range strings.Split(strings.Join(values, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err == nil && strings.Trim(params["q"], "0.") == "" && params["q"] != "" {
			continue // its weight is zero
		}
		taken = append(taken, kind)
	}
	for _, kind := range kinds {
		family, _, _ := strings.Cut(kind, "/")
		if !slices.ContainsFunc([]string{kind, family + "/*", "*/*"}, func(k string) bool {
			return slices.Contains(taken, k)
		}) {
			return false
		}
	}
	return true
}
