//go:build soak

package e2e

// What is broken seldom is found by many rounds.
const (
	isSoak            = true
	manyKills         = 50
	crawledLines      = 6000
	crawledUsers      = 50
	failovers         = 20
	firstStep, stride = 1, 1
	fates             = 3
	flowsKilled       = 4
)
