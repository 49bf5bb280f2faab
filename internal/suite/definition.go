// Package suite is tests of phones in words: suites of cases, read from files, and what came of
// them. From the bottom up: a definition says which keys a file has (package keys reads files by
// it, and makes the JSON Schema from it), [Read] reads files and folders, [Select] chooses
// and expands the cases, and a [Result] is what came of one.
//
// The package touches no phone. What a case expects is checked in package suite/expect, cases are
// carried out in package suite/play, and results are written in package suite/report.
package suite

import "github.com/taploop/taploop/internal/keys"

// Suite is a file of cases.
type Suite struct {
	keys.Place `yaml:"-"`
	File       string   `yaml:"-"`
	Name       string   `yaml:"name"`
	Tags       []string `yaml:"tags"`
	App        string   `yaml:"app"`
	Secrets    []string `yaml:"secrets"`
	Phones     Phones   `yaml:"phones"`
	Phone      keys.Any `yaml:"phone"` // that the cases want, as tasks do
	Vars       keys.Map `yaml:"vars"`
	Setup      []Line   `yaml:"setup"`
	Teardown   []Line   `yaml:"teardown"`
	Each       Each     `yaml:"each"`
	Budget     Budget   `yaml:"budget"`
	Cases      []*Case  `yaml:"cases" need:"yes"`

	masked map[string]string // secrets with their values
}

// Phones says which phones a suite can use.
type Phones struct {
	keys.Place `yaml:"-"`
	Count      int      `yaml:"count" min:"1" max:"1000"`
	Labels     []string `yaml:"labels"`
	API        int      `yaml:"api" min:"1" max:"1000"`
}

// Each is done around every attempt of every case.
type Each struct {
	keys.Place `yaml:"-"`
	Setup      []Line `yaml:"setup"`
	Teardown   []Line `yaml:"teardown"`
}

// Budget bounds what an attempt may use. 0 does not bound.
type Budget struct {
	keys.Place `yaml:"-"`
	Steps      int           `yaml:"steps" min:"1" max:"1000"`
	Time       keys.Duration `yaml:"time"`
	Tokens     int           `yaml:"tokens" min:"1" max:"1e12"`
	Cost       float64       `yaml:"cost" min:"1e-9"`
}

// Line is one line of a set-up or a teardown.
type Line struct {
	keys.Place `yaml:"-"`
	Install    string        `yaml:"install" one:"yes"`
	Clear      string        `yaml:"clear" one:"yes"`
	Grant      *Grant        `yaml:"grant" one:"yes"`
	Open       string        `yaml:"open" one:"yes"`
	Push       *Push         `yaml:"push" one:"yes"`
	Setting    *Setting      `yaml:"setting" one:"yes"`
	Animations string        `yaml:"animations" one:"yes" enum:"on off"`
	WaitBoot   keys.Patience `yaml:"wait_boot" one:"yes" alone:"yes"`
	Shell      string        `yaml:"shell" one:"yes"`
}

// Grant gives an app permissions.
type Grant struct {
	keys.Place  `yaml:"-"`
	App         string   `yaml:"app" need:"yes"`
	Permissions []string `yaml:"permissions" need:"yes"`
}

// Push copies a file to the phone.
type Push struct {
	keys.Place `yaml:"-"`
	From       string `yaml:"from" need:"yes"`
	To         string `yaml:"to" need:"yes" prefix:"/"`
}

// Setting names a setting of the phone with a value.
type Setting struct {
	keys.Place `yaml:"-"`
	Namespace  string `yaml:"namespace" need:"yes" enum:"system secure global"`
	Name       string `yaml:"name" need:"yes"`
	Value      string `yaml:"value" need:"yes" empty:"ok"`
}

// Case is one test, or one for each of its rows.
type Case struct {
	keys.Place `yaml:"-"`
	Name       string      `yaml:"name" need:"yes"`
	Task       string      `yaml:"task" one:"yes"`
	Skill      string      `yaml:"skill" one:"yes"`
	Params     keys.Map    `yaml:"params" only:"skill"`
	Tags       []string    `yaml:"tags"`
	With       []keys.Map  `yaml:"with" min:"1"`
	Replies    []Reply     `yaml:"replies"`
	Approvals  []Approval  `yaml:"approvals"`
	Budget     Budget      `yaml:"budget"`
	Retries    *int        `yaml:"retries" min:"0" max:"100"`
	Cassette   string      `yaml:"cassette"`
	Needs      string      `yaml:"needs"`
	Expect     []Expect    `yaml:"expect" need:"own" bare:"none"`
	Skip       keys.Reason `yaml:"skip"`

	written string // its name with placeholders, in a suite
}

// Reply answers questions of the agent.
type Reply struct {
	keys.Place `yaml:"-"`
	Question   keys.Regexp `yaml:"question" need:"yes"`
	Reply      string      `yaml:"reply" need:"yes"`
	Times      keys.Times  `yaml:"times"`
}

// Approval decides about actions that wait for a person.
type Approval struct {
	keys.Place `yaml:"-"`
	Match      Match   `yaml:"match" need:"yes"`
	Decide     string  `yaml:"decide" need:"yes" enum:"approve reject edit"`
	Message    string  `yaml:"message" only:"decide reject"`
	Edited     *Edited `yaml:"edited_action" need:"yes" only:"decide edit"`
}

// Edited is the action that takes the place of the one that waits.
type Edited struct {
	keys.Place `yaml:"-" json:"-"`
	Name       string   `yaml:"name" need:"yes" json:"name"`
	Args       keys.Any `yaml:"args" json:"args,omitzero"`
}

// Match says which actions an approval is for: actions that all of its keys fit.
type Match struct {
	keys.Place `yaml:"-"`
	Action     string      `yaml:"action" some:"yes"`
	App        string      `yaml:"app" some:"yes"`
	Text       keys.Regexp `yaml:"text" some:"yes"`
}

// Expect is one expectation.
type Expect struct {
	keys.Place `yaml:"-"`
	App        string        `yaml:"app" one:"yes"`
	Text       string        `yaml:"text" one:"yes"`
	NoText     string        `yaml:"no_text" one:"yes"`
	Element    *Element      `yaml:"element" one:"yes"`
	Answer     keys.Regexp   `yaml:"answer" one:"yes"`
	Setting    *Setting      `yaml:"setting" one:"yes"`
	Query      *Query        `yaml:"query" one:"yes"`
	File       *File         `yaml:"file" one:"yes"`
	Shell      *Shell        `yaml:"shell" one:"yes"`
	Logcat     *Logcat       `yaml:"logcat" one:"yes"`
	Picture    *Picture      `yaml:"picture" one:"yes"`
	Judged     string        `yaml:"judged" one:"yes"`
	Within     keys.Duration `yaml:"within"`
}

// Element is an element of the screen that all given keys fit.
type Element struct {
	keys.Place `yaml:"-"`
	ID         string `yaml:"id" some:"yes"`
	Text       string `yaml:"text" some:"yes"`
	Desc       string `yaml:"desc" some:"yes"`
	Class      string `yaml:"class" some:"yes"`
	Checked    *bool  `yaml:"checked" some:"yes"`
	Enabled    *bool  `yaml:"enabled" some:"yes"`
	Count      *int   `yaml:"count" min:"0" max:"100000"`
}

// Query asks a content provider.
type Query struct {
	keys.Place `yaml:"-"`
	URI        string   `yaml:"uri" need:"yes" prefix:"content://"`
	Projection []string `yaml:"projection"`
	Where      string   `yaml:"where"`
	Rows       *int     `yaml:"rows" min:"0" max:"1e9"`
	Value      string   `yaml:"value" never:"rows 0"`
}

// File is a file of the phone.
type File struct {
	keys.Place `yaml:"-"`
	Path       string `yaml:"path" need:"yes" prefix:"/"`
	Contains   string `yaml:"contains" never:"absent true"`
	Absent     bool   `yaml:"absent"`
}

// Shell is a command on the phone with what it has to say.
type Shell struct {
	keys.Place `yaml:"-"`
	Command    string      `yaml:"command" need:"yes"`
	Output     keys.Regexp `yaml:"output"`
	Code       *int        `yaml:"code" min:"0" max:"255"`
}

// Logcat is a line of the phone's log.
type Logcat struct {
	keys.Place `yaml:"-"`
	Tag        string      `yaml:"tag" some:"yes"`
	Match      keys.Regexp `yaml:"match" some:"yes"`
	Absent     bool        `yaml:"absent"`
}

// Picture is a part of the screen that looks like a picture.
type Picture struct {
	keys.Place `yaml:"-"`
	Region     string   `yaml:"region"`
	Like       string   `yaml:"like" need:"yes"`
	Tolerance  *float64 `yaml:"tolerance" min:"0" max:"1"`
}
