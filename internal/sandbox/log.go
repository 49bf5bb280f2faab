package sandbox

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// LogLine is a line of the phone's log.
type LogLine struct {
	At       time.Time
	Level    byte // V, D, I, W, E or F
	Tag      string
	Text     string
	CrashLog bool // it is in the crash buffer, too
}

// Drop is an entry of the phone's drop box: what Android keeps of a crash.
type Drop struct {
	At   time.Time
	Tag  string // such as data_app_crash
	Text string
}

// Log is what the phone has written down. It is safe for concurrent use.
type Log struct {
	now   func() time.Time
	mu    sync.Mutex
	lines []LogLine // guarded by mu
	drops []Drop    // guarded by mu
}

// most is how many lines are kept.
const most = 2000

// Now is the phone's time.
func (l *Log) Now() time.Time { return l.now() }

// Write adds a line.
func (l *Log) Write(level byte, tag, text string) {
	l.add(LogLine{Level: level, Tag: tag, Text: text})
}

func (l *Log) add(line LogLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line.At = l.now()
	l.lines = append(l.lines[max(0, len(l.lines)+1-most):], line)
}

// Lines are the lines that are kept, oldest first.
func (l *Log) Lines() []LogLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// Drops are the entries of the drop box, oldest first.
func (l *Log) Drops() []Drop {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.drops)
}

// died writes down that a process has crashed, or that it does not respond.
func (l *Log) died(pkg, tag, why string) {
	text := fmt.Sprintf("Process: %s\nPID: 4711\nPackage: %s v1 (1.0)\nForeground: Yes\n%s\n",
		pkg, pkg, map[string]string{crashTag: "\n" + why, anrTag: "Subject: " + why + hung}[tag])
	l.mu.Lock()
	l.drops = append(l.drops, Drop{l.now(), tag, text})
	l.mu.Unlock()
	if tag == anrTag {
		l.Write('E', "ActivityManager", "ANR in "+pkg)
		return
	}
	for _, text := range []string{"FATAL EXCEPTION: main", "Process: " + pkg + ", PID: 4711", why} {
		l.add(LogLine{Level: 'E', Tag: "AndroidRuntime", Text: text, CrashLog: true})
	}
}

// The tags of the drop box.
const (
	crashTag = "data_app_crash"
	anrTag   = "data_app_anr"
)

// hung is the trace of an app that does not respond.
const hung = "\n\n----- pid 4711 -----\n\"main\" prio=5 tid=1 Stopped\n" +
	"  at android.os.MessageQueue.nativePollOnce(Native method)"

// Crash ends a running app as a crash does. why is its stack trace.
func (stack *Apps) Crash(pkg, why string) {
	stack.do(func() { stack.end(pkg) })
	stack.log.died(pkg, crashTag, why)
}

// Hang writes down that an app does not respond.
func (stack *Apps) Hang(pkg, why string) { stack.log.died(pkg, anrTag, why) }
