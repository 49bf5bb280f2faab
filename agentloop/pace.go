package agentloop

import "time"

// Pace is how a phone's screens come to rest after a touch, as far as it has been seen: a first
// look after Rest shows most of them at rest. What one run has found out is of use to the next one
// on the same phone. Its zero value knows nothing.
type Pace struct {
	Rest   time.Duration `json:"rest"`   // from a touch to the first look
	Enough time.Duration `json:"enough"` // the rest after which a screen was at rest last
	Soon   time.Duration `json:"soon"`   // a rest that was too short, less than Enough
	Right  int           `json:"right"`  // first looks in a row that showed the screen at rest
	Every  int           `json:"every"`  // so many of these, an earlier look is tried

	Asked int `json:"asked"` // how often the policy was asked early
	Again int `json:"again"` // and again, because that was in vain
}

const (
	// longestRest bounds what the first look waits for: a page that takes longer is loading
	// something.
	longestRest = 400 * time.Millisecond
	// An earlier look is tried after so many right ones in a row: at first, and at last where it
	// was too early each time.
	outdated    = 8
	settled     = 64
	closeBy     = 40 * time.Millisecond // of a rest that was too short, which may be enough by now
	manyAsked   = 200                   // early requests, of which the older half is forgotten
	earlyTrials = 3                     // right looks in a row: the next one is relied on
	mostInVain  = 20                    // one of so many requests may be
)

// learn takes into account that a screen was at rest this long after the touch, and whether the
// first look showed it so.
func (p *Pace) learn(after time.Duration, first bool) {
	if !first {
		if after, p.Right = min(after, longestRest), 0; p.trying() {
			p.Soon, after = p.Rest, min(after, p.Enough)
			p.Every = min(2*p.Every, settled)
			p.Right = earlyTrials // the rest before was not too short
		}
		p.Rest, p.Enough = after, after
		return
	}
	if p.Every = max(p.Every, outdated); p.trying() {
		p.Every = outdated
	}
	p.Right++
	p.Enough = p.Rest
	if p.Right%p.Every > 0 {
		return
	}
	if p.Enough-p.Soon < closeBy || p.Soon < p.Enough/2 {
		p.Soon = p.Enough / 2
	}
	p.Rest = (p.Soon + p.Enough) / 2
}

// trying reports whether an earlier look than is known to be right comes next.
func (p *Pace) trying() bool { return p.Rest < p.Enough }

// reliable reports whether the next first look is expected to show a screen at rest.
func (p *Pace) reliable() bool { return p.Right >= earlyTrials && !p.trying() }

// worthwhile reports whether few early requests were in vain so far.
func (p *Pace) worthwhile() bool { return mostInVain*p.Again <= max(p.Asked, p.Again)+p.Right }

// ask counts an early request.
func (p *Pace) ask() {
	if p.Asked++; p.Asked >= manyAsked {
		p.Asked, p.Again = p.Asked/2, p.Again/2
	}
}

// inVain counts an early request about a screen that moved on. The next first look is later.
func (p *Pace) inVain() {
	p.Again++
	p.Rest = min(p.Rest+firstPoll, longestRest)
	p.Enough, p.Right = max(p.Enough, p.Rest), 0
}
