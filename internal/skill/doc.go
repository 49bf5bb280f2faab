// Package skill makes a run repeatable. A [Skill] is a file that people can read: what the run did,
// step by step, with its parameters, how each step's target is found on another screen, and which
// screens there were before and after. [Make] writes one from a stored session. [Policy] replays it
// as the policy of a run: the loop, the gate, the journal and the leases are those of every run.
// Where a screen is not as it was recorded, a model is asked for that step.
package skill
