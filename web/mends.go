package web

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// mends say what can be done about an error that brings no mend of its own, by its code.
var mends = map[string]string{
	"INVALID_ARGUMENT":          "nothing has changed; send it again as the message wants it (docs/http.md has every route)",
	"INVALID_REPLY":             "the question is still open: send an answer that fits",
	"UNAUTHORIZED":              "send the header Authorization: Bearer TOKEN; taploop token create --name NAME makes a token, taploop token list shows which there are; for a browser: taploop ui",
	"FORBIDDEN":                 "a program sends a token and neither cookie nor Origin; a page has to be on this server's own origin",
	"NOT_FOUND":                 "GET /v1/inquiries and GET /v1/sessions list what your token may see; one that http.operators names sees everybody's",
	"METHOD_NOT_ALLOWED":        "use a method that the header Allow names",
	"QUESTION_ALREADY_RESOLVED": "there is nothing left to answer: winner says who was first, and what counts; GET /v1/inquiries?status=open lists what is open",
	"QUESTION_GONE":             "nobody can answer it any more, and nothing was taken; GET /v1/inquiries?status=open lists what is open",
	"REPLY_ID_REUSED":           "send another answer under a reply_id of its own, or the same answer again to learn what became of it",
	"TOO_LARGE":                 "send less; a longer text belongs into a file or behind a link",
	"TOO_MANY_LISTENERS":        "close event streams that nobody reads, or try again later",
	"NOT_IMPLEMENTED":           "taploop stop SESSION, on the machine of the server",
	"CLOSING":                   "try again when the server is back; what was stored is kept",
	"INTERNAL":                  "try again, and look into the server's log",
}

// mendOf is what can be done about a refusal.
func mendOf(f *refusal) string {
	if mend := hint.Of(f.err); mend != "" {
		return mend
	}
	return mends[f.code]
}

// unknownField names the fields that there are when the error is about one that there is not.
func unknownField(err error, into any) error {
	if !strings.HasPrefix(err.Error(), "json: unknown field ") {
		return err
	}
	names := fieldNames(reflect.TypeOf(into))
	if len(names) == 0 {
		return fmt.Errorf("%s (want {} or no body)", strings.TrimPrefix(err.Error(), "json: "))
	}
	return fmt.Errorf("%s (want %s)", strings.TrimPrefix(err.Error(), "json: "), strings.Join(names, ", "))
}

// fieldNames are the keys that encoding/json reads into a pointer to a struct.
func fieldNames(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Elem().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// nothing answers where there is nothing: in JSON below /v1, and with what there is for whoever looks around.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		var paths []string
		for _, x := range s.table() {
			if strings.HasPrefix(x.path, "/v1/") {
				paths = append(paths, x.method+" "+x.path)
			}
		}
		err := fmt.Errorf("there is nothing at %s", r.URL.Path)
		s.fail(w, r, &refusal{status: http.StatusNotFound, code: "NOT_FOUND", err: hint.Add(err, "there are "+strings.Join(paths, ", "))})
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprintf(w, "There is nothing here. This is taploop: the inbox page is at /ui, the HTTP API below /v1, MCP at /mcp.\n")
}
