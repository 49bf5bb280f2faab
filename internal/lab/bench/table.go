package bench

import (
	"fmt"

	"github.com/taploop/taploop/internal/lab"
	"github.com/taploop/taploop/internal/text"
)

// Table is the report as a table: a row for each model, and for each of its tasks. say puts its
// words into the reader's language.
func (r Report) Table(say func(string) string) [][]string {
	rows := [][]string{{"MODEL NAME", "TASK", "PASSED", "SHARE", "95%", "FALSE", "SEEN",
		"STEPS", "TIME", "TOKENS", "COST"}}
	for i, name := range rows[0] {
		rows[0][i] = say(name)
	}
	add := func(model, task string, s Score) {
		row := []string{text.Line(model), task, say(fmt.Sprintf("%d of %d", s.Passed, s.Runs)),
			lab.Percent(s.Share), lab.Percent(s.Low) + "-" + lab.Percent(s.High),
			fmt.Sprint(s.False), fmt.Sprint(s.Verified), fmt.Sprintf("%.1f", s.Steps),
			fmt.Sprintf("%.1fs", s.Seconds),
			fmt.Sprintf("%.0f", s.PromptTokens+s.CompletionTokens), "-"}
		if s.Cost > 0 {
			row[10] = fmt.Sprintf("%.4f", s.Cost)
		}
		if s.Runs == 0 {
			row = append(row[:3], "-", "-", "-", "-", "-", "-", "-", "-")
		}
		rows = append(rows, row)
	}
	for _, m := range r.Models {
		add(m.Model, say("all"), m.Score)
		for _, t := range m.Tasks {
			add(m.Model, t.Task, t.Score)
		}
	}
	return rows
}
