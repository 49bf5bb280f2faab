package usecase

import (
	"context"
	"errors"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
)

// Remedy is what helps the caller of a call that was refused.
type Remedy struct {
	Next *Next // nil when no other call helps
	// Instead says that Next takes the place of the error's hint.
	Instead bool
	// What is wrong and what helps, in the place of the error's own text and hint, or nil.
	Misuse *Misuse
	Stop   string // a session that may be ended instead, or ""
	// The same call may be made again, to end the other session or to wait in line.
	Supersede, Queue bool
}

// After finds what helps the caller of a call that was refused with err. begins says that the call
// can wait in line for a phone, starts that it can end another session of the caller's.
func (u *Cases) After(ctx context.Context, c *Call, err error, begins, starts bool) Remedy {
	misuse, _ := errors.AsType[*Misuse](err)
	if r, is := errors.AsType[*refusedNext](err); is {
		return Remedy{Next: r.next, Misuse: misuse}
	}
	if misuse != nil {
		return Remedy{Next: NextList(misuse.missing), Misuse: misuse}
	}
	code := runs.CodeOf(err)
	_, unfit := errors.AsType[*inquiry.InvalidReplyError](err)
	switch remedy := code.Remedy(); {
	case remedy == runs.SeeHolder:
		return u.busy(ctx, err, begins, starts)
	case remedy == runs.SeePhones, errors.Is(err, screen.ErrDisconnected):
		return Remedy{Next: NextList(ArgPhone)}
	case remedy == runs.SeeSessions:
		return Remedy{Next: NextList(ArgSession)}
	case code == QuestionNotFound, code == TooManyQuestions,
		errors.Is(err, runs.ErrOwnQuestions):
		return Remedy{Next: NextList(ArgQuestion)}
	case remedy == runs.SeeSession:
		return u.inSession(ctx, c, code)
	case errors.Is(err, inquiry.ErrReplyIDReused):
		return u.inSession(ctx, c, runs.QuestionAlreadyResolved)
	case unfit && c.session != "":
		return Remedy{Next: u.nextIn(ctx, c.session)}
	case unfit:
		return Remedy{Next: without("add an answer that fits", ArgResponse, ArgValues,
			ArgDecline, ArgReplyType, ArgReplyID)}
	case code == runs.DeviceMismatch:
		return Remedy{Next: without("the session's own phone is meant then", ArgPhone)}
	case errors.Is(err, runs.ErrReplyWithTask):
		return Remedy{Next: u.nextOfTwo(ctx, c)}
	}
	return Remedy{}
}

// without is the same call without some arguments.
func without(why string, arguments ...Argument) *Next {
	return &Next{Verb: ToRepeat, Change: Change{Without: arguments}, Why: why}
}

// NextList lists the values which an argument may have, or nil if nothing does.
func NextList(a Argument) *Next {
	switch a {
	case ArgSession:
		return &Next{Verb: ToListSessions, Why: "it lists your sessions"}
	case ArgQuestion:
		return &Next{Verb: ToListQuestions, Why: "it lists the open questions"}
	case ArgPhone:
		return &Next{Verb: ToListPhones, Why: "it lists the phones that there are"}
	}
	return nil
}

// inSession continues the session that the call was about. After an answer that came too late it
// at least shows how the run ended.
func (u *Cases) inSession(ctx context.Context, c *Call, code runs.Code) Remedy {
	st, err := u.opts.Runs.Status(ctx, c.session)
	if err != nil {
		return Remedy{}
	}
	r := Remedy{Next: After(st)}
	switch {
	case code == runs.RunInProgress && r.Next != nil:
		r.Instead = true
		if !KeptByPerson(st) { // which only a person ends
			r.Stop = c.session
		}
	case (code == runs.QuestionAlreadyResolved || code == runs.NoOpenQuestion) && r.Next == nil:
		r.Next = &Next{Verb: ToWait, SessionID: c.session, Why: "it shows how the run ended"}
	}
	return r
}

// busy tells how to get at a phone that a session has. The holder has an id when it is the
// caller's.
func (u *Cases) busy(ctx context.Context, err error, begins, starts bool) Remedy {
	e, _ := errors.AsType[*runs.Error](err)
	held := e != nil && e.Holder != nil
	own := held && e.Holder.SessionID != ""
	switch {
	case held && !own && begins:
		return Remedy{Next: &Next{Verb: ToRepeat, Change: Change{Queue: true},
			Why: "it waits until the phone is free"}}
	case !own:
		return Remedy{Next: NextList(ArgPhone)}
	}
	st, err := u.opts.Runs.Status(ctx, e.Holder.SessionID)
	if err != nil {
		return Remedy{}
	}
	r := Remedy{Next: After(st)}
	if r.Next == nil {
		return r
	}
	r.Instead, r.Queue = true, begins
	if !KeptByPerson(st) { // which only a person ends
		r.Stop, r.Supersede = e.Holder.SessionID, starts
	}
	return r
}

// nextIn is what can be done next with a session of the caller's, or nil if its run has ended, or
// if missing.
func (u *Cases) nextIn(ctx context.Context, sessionID string) *Next {
	st, err := u.opts.Runs.Status(ctx, sessionID)
	if err != nil {
		return nil
	}
	return After(st)
}

// nextOfTwo is the call with the answer or with the new task, whichever can be carried out.
func (u *Cases) nextOfTwo(ctx context.Context, c *Call) *Next {
	st, err := u.opts.Runs.Status(ctx, c.session)
	switch {
	case err != nil:
		return nil
	case st.Question != nil:
		return without("it answers the task that asks", ArgTask)
	case st.Run.State.Terminal():
		return without("it begins the new task; nothing waits for an answer", ArgReply, ArgQuestion,
			ArgReplyID)
	}
	return After(st)
}
