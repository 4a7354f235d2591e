//go:build soak

package bunstore_test

import "time"

// notificationRounds returns when a minute is over.
func notificationRounds(int) func(round int) bool {
	end := time.Now().Add(time.Minute)
	return func(int) bool { return time.Now().After(end) }
}
