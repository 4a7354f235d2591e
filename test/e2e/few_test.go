//go:build !soak

package e2e

// What is broken always is found by few rounds, and at one point of each kind. The tag soak brings many.
const (
	isSoak    = false
	manyKills = 2
)
