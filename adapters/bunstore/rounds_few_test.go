//go:build !soak

package bunstore_test

// notificationRounds returns when so many rounds are over. The tag soak brings a minute of them.
func notificationRounds(few int) func(round int) bool {
	return func(round int) bool { return round >= few }
}
