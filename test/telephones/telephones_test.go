package telephones_test

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
	"plaza/test/telephones"
)

func message(t *testing.T, i int) verification.Message {
	phone, err := user.ParsePhone(fmt.Sprintf("+86-13800%06d", i%2))
	require.NoError(t, err)
	return verification.Message{ID: fmt.Sprint(i), To: verification.NumberOf(phone)}
}

func TestNext_waits_for_a_message_to_the_number(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telephones.New(sandbox.New(time.Now))
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
