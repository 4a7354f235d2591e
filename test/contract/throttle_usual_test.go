package contract

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// usualPlaceRows show that failures of other usernames at a shared address do not lock out
// the usernames that log in there.
var usualPlaceRows = []row{
	{"AUT-11 three hundred failures from one address do not stop a username that logged in from it", sharedAddress, everyStore},
}

func sharedAddress(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	ada, bob := s.member(t), s.member(t)
	s.from("192.0.2.1").gets(t, ada)
	s.clock.advance(29 * day)
	for i := range 75 {
		s.from("192.0.2.1").failsTimes(t, 4, fmt.Sprintf("+86-138%08d", i))
	}
	s.from("192.0.2.1").logsIn(t, bob.phone, password).throttled()
	s.from("192.0.2.1").gets(t, ada)
	s.from("192.0.2.1").failsTimes(t, 5, ada.phone)
	assert.Equal(t, 15*time.Minute, s.from("192.0.2.1").logsIn(t, ada.phone, password).throttled(), "her own failures")

	s.clock.advance(31 * day) // it is no usual place any more
	for i := range 75 {
		s.from("192.0.2.1").failsTimes(t, 4, fmt.Sprintf("+86-138%08d", i))
	}
	s.from("192.0.2.1").logsIn(t, ada.phone, password).throttled()
	s.from("192.0.2.2").gets(t, ada)
}
