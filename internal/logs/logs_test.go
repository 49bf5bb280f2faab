package logs_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/logs"
)

func TestALineHasTheIDsThatItsContextKnows(t *testing.T) {
	for format, want := range map[string]string{
		"json": `"msg":"step","took_ms":954.25,"serial":"emu-2","request":"ID","session":"s"}`,
		"text": `msg=step took_ms=954.25 serial=emu-2 request=ID session=s`,
	} {
		var out strings.Builder
		log := logs.New(&out, format, slog.LevelInfo)
		call, id := logs.Called(t.Context())
		again, same := logs.Called(call)
		require.Equal(t, id, same, "a request within a request is the same")
		logs.Learn(again, logs.Session, "another call's")
		life := logs.Life(t.Context(), call)
		logs.Learn(life, logs.Session, "s", logs.Phone, "emu-1")
		log.InfoContext(life, "step", "took", 954250*time.Microsecond, "serial", "emu-2")
		require.Contains(t, out.String(), strings.ReplaceAll(want, "ID", id))
		out.Reset()
		log.With("a", 1).InfoContext(call, "call")
		require.Contains(t, out.String(), "another call's")
		out.Reset()
		log.InfoContext(t.Context(), "alone")
		logs.Learn(t.Context(), logs.Session, "nothing learns")
		require.NotContains(t, out.String(), "request")
	}
}
