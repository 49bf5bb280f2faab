package sandbox_test

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/sandbox"
)

// A task is set up, done by touch and judged by the phone's state.
func Example() {
	phone := sandbox.New(nil)
	task, _ := phone.Task("alarm-0730")
	task.Setup(phone)
	fmt.Println(task.Check(phone) != nil)
	for _, name := range []string{"icon_clock", "add_alarm", "hour_07", "minute_30", "save_alarm"} {
		root := phone.Screen.UITree()
		node := root.Find(func(n *sandbox.Node) bool {
			return strings.HasSuffix(n.ResourceID,
				":id/"+name)
		})
		at := node.Center()
		phone.Touch.Tap(at.X, at.Y)
	}
	fmt.Println(task.Check(phone))
	fmt.Println(phone.Screen.Foreground().Component())
	// Output:
	// true
	// <nil>
	// com.android.deskclock/.DeskClock
}
