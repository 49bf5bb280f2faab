package apps

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Data is what the apps store. It survives the end of an app. Pages and unsaved input do not.
type Data struct {
	Alarms  []*Alarm
	Notes   []*Note
	Threads []*Thread
	Shop    Shop
	// of the further apps
	Contacts []*Contact
	Draft    *Contact // that is being written, or nil
	Events   []*Event
	Timers   Timers
	Clip     string          // the text on the clipboard
	Visited  []string        // addresses that were opened
	Rated    string          // "", later or rated
	Granted  map[string]bool // permissions by "package permission", false when refused
}

// Alarm rings daily at a time.
type Alarm struct {
	Hour, Minute int
	On           bool
	Label        string
}

// Time is the alarm's time as 07:30.
func (a *Alarm) Time() string { return fmt.Sprintf("%02d:%02d", a.Hour, a.Minute) }

// Alarm returns an alarm of that time, one that is on before one that is off, or nil.
func (d *Data) Alarm(hour, minute int) *Alarm {
	var found *Alarm
	for _, a := range d.Alarms {
		if a.Hour == hour && a.Minute == minute && (found == nil || a.On) {
			found = a
		}
	}
	return found
}

// Note is a note. The first one is on top.
type Note struct {
	Title, Body string
	Edited      time.Time
}

// Note returns the first note of that title, or nil.
func (d *Data) Note(title string) *Note {
	return First(d.Notes, func(n *Note) bool { return n.Title == title })
}

// First returns the first item for which ok holds, or nil.
func First[T any](list []*T, ok func(*T) bool) *T {
	if i := slices.IndexFunc(list, ok); i >= 0 {
		return list[i]
	}
	return nil
}

// Thread is a conversation.
type Thread struct {
	Name, Number string
	Messages     []*SMS
	Unread       bool
}

// Last is the newest message.
func (t *Thread) Last() *SMS { return t.Messages[len(t.Messages)-1] }

// SMS is one message of a thread.
type SMS struct {
	Text  string
	At    time.Time
	Mine  bool // sent from this phone
	Liked bool
}

// Thread returns the conversation with a contact, or nil.
func (d *Data) Thread(name string) *Thread {
	return First(d.Threads, func(t *Thread) bool { return t.Name == name })
}

// Sent lists what was sent from this phone to a contact, oldest first.
func (d *Data) Sent(name string) []string {
	var out []string
	if t := d.Thread(name); t != nil {
		for _, m := range t.Messages {
			if m.Mine {
				out = append(out, m.Text)
			}
		}
	}
	return out
}

// SentTo lists what was sent from this phone to a number, by time within each conversation, or to
// anybody where number is "". Spaces and dashes in numbers do not count.
func (d *Data) SentTo(number string) (list []*SMS) {
	bare := strings.NewReplacer("-", "", " ", "")
	for _, t := range d.Threads {
		for _, m := range t.Messages {
			if m.Mine && (number == "" || bare.Replace(t.Number) == number) {
				list = append(list, m)
			}
		}
	}
	return list
}

// Digits are a number's digits.
func Digits(number string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number)
}

// Receive adds a message that came in and moves its conversation to the top.
func (d *Data) Receive(name, number, text string, at time.Time) {
	d.add(name, number, &SMS{Text: text, At: at}).Unread = true
}

// Send adds a message that goes out.
func (d *Data) Send(name, number, text string, at time.Time) {
	d.add(name, number, &SMS{Text: text, At: at, Mine: true})
}

func (d *Data) add(name, number string, m *SMS) *Thread {
	t := d.Thread(name)
	if t == nil {
		t = &Thread{Name: name, Number: number}
	}
	t.Messages = append(t.Messages, m)
	d.Threads = slices.DeleteFunc(d.Threads, func(o *Thread) bool { return o == t })
	d.Threads = slices.Insert(d.Threads, 0, t)
	return t
}
