// Package process is about the programs that tests start: none outlives the tests, even
// if those are killed, where the kernel sees to it. Elsewhere what was started then stays,
// until somebody else cleans up.
package process
