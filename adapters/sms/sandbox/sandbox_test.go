package sandbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sms/sandbox"
	"plaza/domain/user"
	"plaza/domain/verification"
	"plaza/test/ports"
)

func TestAUT15_Sandbox(t *testing.T) {
	ports.Sender(t, func(*testing.T) (verification.Sender, func() []ports.Sent) {
		s := sandbox.New(time.Now)
		return s, func() (sent []ports.Sent) {
			for _, m := range s.Messages() {
				sent = append([]ports.Sent{{To: m.To.E164(), Code: m.Code.Reveal(), Text: m.Text.Reveal()}}, sent...)
			}
			return sent
		}
	})
}

func message(t *testing.T, i int) verification.Message {
	phone, err := user.ParsePhone(fmt.Sprintf("+86-13800%06d", i%2))
	require.NoError(t, err)
	return verification.Message{ID: fmt.Sprint(i), To: verification.NumberOf(phone)}
}

func TestThe_newest_messages_are_kept(t *testing.T) {
	s := sandbox.New(time.Now)
	for i := range 120 {
		require.NoError(t, s.Send(t.Context(), message(t, i)))
		require.NoError(t, s.Send(t.Context(), message(t, i)), "a message that is sent again is the same message")
	}
	messages := s.Messages()
	require.Len(t, messages, 50)
	assert.Equal(t, "119", messages[0].ID)
	assert.Equal(t, "70", messages[49].ID)
}
