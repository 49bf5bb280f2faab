package device

import (
	"context"
	"strconv"
)

var (
	batteryLevel = atLine("level: ", `(\d{1,6})[ \t\r]*(?:\n|$)`)
	batteryScale = atLine("scale: ", `(\d{1,6})[ \t\r]*(?:\n|$)`)
)

// Battery returns how full the phone's battery is, in percent, or 0 if the phone does not say.
func (p *Phone) Battery(ctx context.Context) (percent int, err error) {
	said, err := p.display.ask(ctx, "dumpsys battery")
	if err != nil {
		return 0, p.failed("reading the battery of", err)
	}
	return parseBattery(said[0]), nil
}

func parseBattery(s string) int {
	level, err := strconv.Atoi(batteryLevel.first(s))
	scale, of := strconv.Atoi(batteryScale.first(s))
	if of != nil {
		scale = 100
	}
	if err != nil || scale <= 0 || level > scale {
		return 0
	}
	return 100 * level / scale
}
