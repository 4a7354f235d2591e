package sandbox_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
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

func TestNext_waits_for_a_message_to_the_number(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(time.Now)
		got := make(chan string)
		for range 2 {
			go func() {
				m, err := s.Next(t.Context(), message(t, 1).To)
				assert.NoError(t, err)
				got <- m.ID
			}()
		}
		synctest.Wait()
		for i := range 3 {
			require.NoError(t, s.Send(t.Context(), message(t, i+1)))
		}
		assert.ElementsMatch(t, []string{"1", "3"}, []string{<-got, <-got}, "each once")
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Next(soon, message(t, 1).To)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
