package report

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/taploop/taploop/internal/suite"
)

// object is an object of a result file.
type object map[string]any

// allureStatus are Allure's words for the outcomes.
var allureStatus = map[suite.Outcome]string{suite.Passed: "passed", suite.Healed: "passed",
	suite.Flaky: "passed", suite.Failed: "failed", suite.Crashed: "failed",
	suite.SetupFailed: "broken", suite.NeedsPerson: "broken", suite.Skipped: "skipped"}

// Allure writes a result file for each attempt into the folder, with its attachments. Attempts of
// one case have one history.
func (s *Summary) Allure(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for n := range s.Results {
		r := &s.Results[n]
		attempts := r.Attempts
		if len(attempts) == 0 {
			attempts = []suite.Attempt{r.Last()}
			attempts[0].Started = s.Started
		}
		for i := range attempts {
			if err := s.allure(dir, r, &attempts[i], i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Summary) allure(dir string, r *suite.Result, a *suite.Attempt, n int) error {
	id := sum(r.File, r.Name)
	uuid := sum(id, fmt.Sprint(s.Started.UnixNano(), n))
	steps, attached := []object{}, []object{}
	for _, c := range a.Checks {
		step := object{"name": c.What, "status": "passed", "stage": "finished"}
		if c.NotAsked != "" {
			step["status"], step["statusDetails"] = "skipped", object{"message": c.NotAsked}
		} else if !c.OK {
			step["status"], step["statusDetails"] = "failed", object{"message": c.Got}
		}
		steps = append(steps, step)
	}
	for i, f := range a.Files {
		b, err := os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(f.Path)))
		if err != nil {
			return err
		}
		source := fmt.Sprintf("%s-%d-attachment%s", uuid, i+1, filepath.Ext(f.Name))
		if err := os.WriteFile(filepath.Join(dir, source), b, 0o644); err != nil {
			return err
		}
		attached = append(attached, object{"name": f.Name, "source": source, "type": f.Type})
	}
	ended := a.Started.Add(time.Duration(a.Seconds * float64(time.Second)))
	x := object{"uuid": uuid, "historyId": id, "testCaseId": id, "name": r.Name,
		"fullName": r.File + ": " + r.Name, "status": allureStatus[a.Outcome], "stage": "finished",
		"start": a.Started.UnixMilli(), "stop": ended.UnixMilli(), "labels": labels(r, a),
		"statusDetails": object{"message": a.Message, "trace": details(r, a),
			"flaky": r.Outcome == suite.Flaky},
		"parameters": []object{}, "steps": steps, "attachments": attached}
	b, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, uuid+"-result.json"), b, 0o644)
}

func labels(r *suite.Result, a *suite.Attempt) (list []object) {
	all := [][2]string{{"suite", r.Suite}, {"framework", "taploop"}, {"host", a.Phone},
		{"outcome", string(a.Outcome)}, {"kind", a.Kind}, {"verification", a.Verdict}}
	for _, t := range r.Tags {
		all = append(all, [2]string{"tag", t})
	}
	for _, one := range all {
		if one[1] != "" {
			list = append(list, object{"name": one[0], "value": one[1]})
		}
	}
	return list
}

// sum is a hash in the form of Allure's ids.
func sum(texts ...string) string {
	h := md5.Sum(fmt.Appendf(nil, "%q", texts))
	return hex.EncodeToString(h[:])
}
