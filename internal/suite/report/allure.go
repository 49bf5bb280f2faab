package report

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/suite"
)

// allureResult is one result file of Allure.
type allureResult struct {
	UUID        string       `json:"uuid"`
	HistoryID   string       `json:"historyId"`
	TestCaseID  string       `json:"testCaseId"`
	FullName    string       `json:"fullName"`
	Name        string       `json:"name"`
	Status      string       `json:"status"`
	Details     allureWhy    `json:"statusDetails"`
	Stage       string       `json:"stage"`
	Start       int64        `json:"start"`
	Stop        int64        `json:"stop"`
	Labels      []allurePair `json:"labels"`
	Parameters  []allurePair `json:"parameters"`
	Steps       []allureStep `json:"steps"`
	Attachments []allureFile `json:"attachments"`
}

type allureWhy struct {
	Message string `json:"message,omitempty"`
	Trace   string `json:"trace,omitempty"`
	Flaky   bool   `json:"flaky,omitempty"`
}

type allurePair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type allureStep struct {
	Name   string    `json:"name"`
	Status string    `json:"status"`
	Why    allureWhy `json:"statusDetails"`
	Stage  string    `json:"stage"`
}

type allureFile struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Type   string `json:"type"`
}

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
			attempts = []suite.Attempt{{Outcome: r.Outcome, Kind: r.Kind, Message: r.Message,
				Started: s.Started}}
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
	x := allureResult{UUID: sum(id, fmt.Sprint(s.Started.UnixNano(), n)), HistoryID: id,
		TestCaseID: id, FullName: r.File + ": " + r.Name, Name: r.Name,
		Status: allureStatus[a.Outcome], Stage: "finished", Start: a.Started.UnixMilli(),
		Stop:       a.Started.Add(time.Duration(a.Seconds * float64(time.Second))).UnixMilli(),
		Details:    allureWhy{a.Message, details(r, a), r.Outcome == suite.Flaky},
		Labels:     labels(r, a),
		Parameters: []allurePair{}, Steps: []allureStep{}, Attachments: []allureFile{}}
	for _, c := range a.Checks {
		step := allureStep{Name: c.What, Status: "passed", Stage: "finished"}
		if !c.OK {
			step.Status, step.Why.Message = "failed", c.Got
		}
		x.Steps = append(x.Steps, step)
	}
	for i, f := range a.Files {
		b, err := os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(f.Path)))
		if err != nil {
			return err
		}
		source := fmt.Sprintf("%s-%d-attachment%s", x.UUID, i+1, filepath.Ext(f.Name))
		if err := os.WriteFile(filepath.Join(dir, source), b, 0o644); err != nil {
			return err
		}
		x.Attachments = append(x.Attachments, allureFile{f.Name, source, f.Type})
	}
	b, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, x.UUID+"-result.json"), b, 0o644)
}

func labels(r *suite.Result, a *suite.Attempt) []allurePair {
	list := []allurePair{{"suite", r.Suite}, {"framework", "taploop"}, {"host", a.Phone},
		{"outcome", string(a.Outcome)}, {"kind", a.Kind}}
	for _, t := range r.Tags {
		list = append(list, allurePair{"tag", t})
	}
	return slices.DeleteFunc(list, func(l allurePair) bool { return l.Value == "" })
}

// sum is a hash in the form of Allure's ids.
func sum(texts ...string) string {
	h := md5.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}
