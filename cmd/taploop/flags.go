package main

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/wait"
)

// workFlags are the settings of what carries runs out that have a flag.
type workFlags struct {
	Model   string `key:"model.name" placeholder:"NAME"`
	BaseURL string `key:"model.base_url" placeholder:"URL"`
	Lang    string `key:"model.lang" placeholder:"LANG"`
	Record  string `key:"model.record" placeholder:"FILE"`
	Replay  string `key:"model.replay" placeholder:"FILE"`
	OrModel string `name:"replay-or-model" key:"model.replay_or_model" placeholder:"FILE"`
	Differ  string `name:"replay-tolerance" key:"model.replay_tolerance" placeholder:"SHARE"`
	Mask    string `name:"replay-mask" key:"model.replay_masks" empty:"ok" placeholder:"MASKS"`
	ADB     string `name:"adb-server" key:"adb.server" placeholder:"ADDR"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// decodeDuration reads a duration, which may be of days and weeks.
func decodeDuration(c *kong.DecodeContext, target reflect.Value) error {
	var given string
	if err := c.Scan.PopValueInto("duration", &given); err != nil {
		return err
	}
	d, err := wait.ParseDuration(given)
	if err != nil {
		return fmt.Errorf("expected a duration such as 90s, 12h or 30d but got %q", given)
	}
	target.SetInt(int64(d))
	return nil
}

// whole is a flag's whole number, within the bounds that its tags from and to name.
type whole int

// Decode implements kong.MapperValue.
func (n *whole) Decode(c *kong.DecodeContext) error {
	var given string
	if err := c.Scan.PopValueInto("number", &given); err != nil {
		return err
	}
	bounds := [2]int{}
	for i, tag := range []string{"from", "to"} {
		var err error
		if bounds[i], err = strconv.Atoi(c.Value.Tag.Get(tag)); err != nil {
			return err
		}
	}
	number, err := strconv.Atoi(given)
	if err != nil || number < bounds[0] || number > bounds[1] {
		return fmt.Errorf("expected a whole number from %d to %d but got %q", bounds[0], bounds[1],
			given)
	}
	*n = whole(number)
	return nil
}
