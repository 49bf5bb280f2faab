package adbtest

import (
	"errors"

	"github.com/taploop/taploop/internal/hint"
)

// Environment variables of the rig.
const (
	envSwitch = "TAPLOOP_RIG"        // "off" leaves the tests out that need the rig
	envSystem = "TAPLOOP_RIG_SYSTEM" // "off" uses the programs below .cache/rig only
	envReport = "TAPLOOP_RIG_REPORT" // file that takes a line for each rig
	// set for the second process until its namespaces are furnished
	envStage  = "TAPLOOP_RIG_STAGE"
	envInside = "TAPLOOP_RIG_INSIDE" // the rig's folder, set in and below the namespaces
)

var (
	errOff     = errors.New(envSwitch + "=off")
	errNotMain = hint.Add(errors.New("the test binary is not in namespaces of its own"),
		"add to the package: func TestMain(m *testing.M) { adbtest.Main(m) }")
)

// outside is why this process is not in the rig's namespaces, nil when it is.
var outside = errNotMain
