// Package families is the table of the dialects that taploop speaks, a row each.
package families

import (
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/gelab"
)

// Known is the dialects. The last row is for every model that no other row speaks with. Not to be
// changed.
var Known = dialect.Table{
	{Name: "gelab", Speaks: func(string) bool { return true }, New: gelab.New, Wrote: gelab.Wrote},
}
