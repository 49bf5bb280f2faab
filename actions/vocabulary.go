package actions

// Vocabulary returns the zero value of every member, in the order in which they are explained to models.
// Tests walk it, so that no type switch forgets a member.
func Vocabulary() []Action {
	return []Action{
		Click{}, DoubleClick{}, LongPress{}, Type{}, Slide{}, Scroll{}, Drag{}, OpenApp{},
		Back{}, Home{}, Recents{}, HotKey{}, Wait{}, Info{}, Note{}, Complete{}, Abort{},
	}
}

// Verb is CLICK.
func (Click) Verb() string { return "CLICK" }

// Verb is DOUBLE_CLICK.
func (DoubleClick) Verb() string { return "DOUBLE_CLICK" }

// Verb is LONGPRESS.
func (LongPress) Verb() string { return "LONGPRESS" }

// Verb is TYPE.
func (Type) Verb() string { return "TYPE" }

// Verb is SLIDE.
func (Slide) Verb() string { return "SLIDE" }

// Verb is SCROLL.
func (Scroll) Verb() string { return "SCROLL" }

// Verb is DRAG.
func (Drag) Verb() string { return "DRAG" }

// Verb is AWAKE.
func (OpenApp) Verb() string { return "AWAKE" }

// Verb is BACK.
func (Back) Verb() string { return "BACK" }

// Verb is HOME.
func (Home) Verb() string { return "HOME" }

// Verb is RECENTS.
func (Recents) Verb() string { return "RECENTS" }

// Verb is HOT_KEY.
func (HotKey) Verb() string { return "HOT_KEY" }

// Verb is WAIT.
func (Wait) Verb() string { return "WAIT" }

// Verb is INFO.
func (Info) Verb() string { return "INFO" }

// Verb is COMPLETE.
func (Complete) Verb() string { return "COMPLETE" }

// Verb is ABORT.
func (Abort) Verb() string { return "ABORT" }

// Verb is NOTE.
func (Note) Verb() string { return "NOTE" }

func (Click) action()       {}
func (DoubleClick) action() {}
func (LongPress) action()   {}
func (Type) action()        {}
func (Slide) action()       {}
func (Scroll) action()      {}
func (Drag) action()        {}
func (OpenApp) action()     {}
func (Back) action()        {}
func (Home) action()        {}
func (Recents) action()     {}
func (HotKey) action()      {}
func (Wait) action()        {}
func (Info) action()        {}
func (Complete) action()    {}
func (Abort) action()       {}
func (Note) action()        {}
