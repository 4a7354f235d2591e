// Package ports holds the contract suites of the ports: one exported function for each, which every implementation passes, Plaza's own
// and those that others plug in.
//
// Each sentence of a port's comment is one subtest, but for what a row of the contract shows on every store. A suite is handed a function
// that makes a fresh implementation, so that its subtests share nothing.
package ports
