package policy_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/screen"
)

// withoutTools is an endpoint that refuses tools with status and error, or every request.
func withoutTools(t *testing.T, status int, said string, all bool) (
	*policy.Policy, *[]string) {
	s, err := scripted.Parse([]byte("rules:\n  - reply: '" +
		`{"thought": "t", "action": {"type": "tap", "x": 500, "y": 250}}` + "'\n"))
	require.NoError(t, err)
	h := scripted.NewHandler(s)
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		asked = append(asked, string(body))
		if all || bytes.Contains(body, []byte(`"tools":`)) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(said))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := model.New(&model.Options{BaseURL: server.URL + "/v1", Retries: -1})
	require.NoError(t, err)
	own, err := dialect.ParseTemplate("own", "{{.Picture}}{{.Task}} by tools", "en")
	require.NoError(t, err)
	d, err := families.Known.New("general-tools", &dialect.Options{Lang: "en", Template: own})
	require.NoError(t, err)
	return policy.New(d, client, nil), &asked
}

func TestAnEndpointThatTakesNoToolsIsAskedWithoutThemFromThenOn(t *testing.T) {
	p, asked := withoutTools(t, 400, `{"error":{"message":"x/llava:13b does not support tools"}}`,
		false)
	s := situation(t)
	for range 3 {
		got, err := p.Next(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, actions.Click{At: screen.Point{X: 0.5, Y: 0.25}}, got.Action)
		require.Len(t, got.Tries, 1)
		require.Empty(t, got.Tries[0].Error)
		s.Warnings = append(s.Warnings, got.Warnings...)
	}
	require.Equal(t, []agentloop.Warning{{Setting: "model.dialect", Text: "the endpoint takes no " +
		"tools, so the model is asked in the dialect general; set model.dialect: general"}},
		s.Warnings, "once in a run")
	require.Len(t, *asked, 4, "tools are offered once in a process")
	require.NotContains(t, (*asked)[1], "by tools", "a template for tools shows no other form")
	require.Contains(t, (*asked)[1], `\"type\": \"tap\"`)
	s.Warnings = nil
	got, err := p.Next(t.Context(), s)
	require.NoError(t, err)
	require.Len(t, got.Warnings, 1, "another run learns of it, too")
}

// An error that names tools and is about something else is what is told.
func TestWhatIsNoRefusalOfToolsIsNotTakenForOne(t *testing.T) {
	for said, all := range map[string]bool{
		`{"error":{"message":"Invalid schema for function 'tap': additionalProperties"}}`: false,
		`{"error":{"message":"x does not support tools"}}`:                                true,
	} {
		p, asked := withoutTools(t, 400, said, all)
		for range 2 {
			_, err := p.Next(t.Context(), situation(t))
			require.ErrorContains(t, err, "HTTP 400: ")
		}
		first := (*asked)[0]
		require.Contains(t, first, `"tools":`)
		last := (*asked)[len(*asked)-1]
		require.Equal(t, !all, strings.Contains(last, `"tools":`), "nothing is remembered")
		require.Len(t, *asked, map[bool]int{true: 4, false: 2}[all])
	}
}
