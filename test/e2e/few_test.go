//go:build !soak

package e2e

// What is broken always is found by few rounds, and at one point of each kind. The tag soak brings many.
const (
	isSoak            = false
	manyKills         = 2
	crawledLines      = 1000
	crawledUsers      = 15
	firstStep, stride = 2, 15 // of those at which a server is killed
	fates             = 1     // of the message at the step
	flowsKilled       = 2
)
