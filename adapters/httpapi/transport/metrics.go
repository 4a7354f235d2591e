package transport

import "time"

// Metrics receives what the interface counts. Many requests call the functions at once, so
// they must return quickly. A nil function counts nothing.
type Metrics struct {
	// Begun counts a request that has arrived.
	Begun func()
	// Ended counts a request after its handler has returned. The method is the client's own
	// text. The route and the status are those of the log line: the route is a pattern of
	// this program, or "none" for an unknown path.
	Ended func(method, route string, status int, took time.Duration)
	// Limited counts a request that the named limit has refused (fault.Error.Limit).
	Limited func(limit string)
}

// complete returns the metrics without nil functions.
func (m Metrics) complete() Metrics {
	if m.Begun == nil {
		m.Begun = func() {}
	}
	if m.Ended == nil {
		m.Ended = func(string, string, int, time.Duration) {}
	}
	if m.Limited == nil {
		m.Limited = func(string) {}
	}
	return m
}
