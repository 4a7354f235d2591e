package people_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/test/memory"
)

// slowHasher takes a tenth of a second for each hash, by the clock of a synctest bubble.
type slowHasher struct{}

func (slowHasher) Hash(_ context.Context, password secret.String) (string, error) {
	return password.Reveal(), nil
}

func (slowHasher) Verify(_ context.Context, hash string, password secret.String) (matches, outdated bool, err error) {
	<-time.After(100 * time.Millisecond)
	return hash == password.Reveal(), false, nil
}

// TestAUT12_many_logins_of_one_do_not_delay_another: 40 clients log in again and again, with
// one account or from one address. Another person gets in next.
func TestAUT12_many_logins_of_one_do_not_delay_another(t *testing.T) {
	for name, login := range map[string]func(i int) signin.Login{
		"one account": func(i int) signin.Login {
			return signin.Login{Username: signinPhone, From: netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})}
		},
		"one address": func(i int) signin.Login {
			return signin.Login{Username: fmt.Sprintf("+86-1390000%04d", i), From: netip.MustParseAddr("192.0.2.1")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.New()
				s := newSignin(store, store.Tokens, slowHasher{}, signin.Joining{}, time.Now, io.Discard)
				const other = "+34-600000003"
				for _, username := range []string{signinPhone, other} {
					_, err := s.Register(t.Context(), signin.Registration{
						Username: username, Password: secret.New(signinPassword), Member: user.Member{Timezone: "UTC"},
					})
					require.NoError(t, err)
				}
				flood, stop := context.WithCancel(t.Context())
				var loops sync.WaitGroup
				for i := range 40 {
					loops.Go(func() {
						for flood.Err() == nil {
							l := login(i)
							l.Password = secret.New(signinPassword)
							_, err := s.Login(flood, l, nil)
							var f *fault.Error
							assert.True(t, err == nil || errors.Is(err, context.Canceled) || errors.As(err, &f), "%v", err)
							if f != nil && f.Kind == fault.Throttled {
								return // an unknown user
							}
						}
					})
				}
				<-time.After(time.Second)
				for range 5 {
					began := time.Now()
					_, err := s.Login(t.Context(), signin.Login{
						Username: other, Password: secret.New(signinPassword), From: netip.MustParseAddr("198.51.100.7"),
					}, nil)
					require.NoError(t, err)
					assert.LessOrEqual(t, time.Since(began), 300*time.Millisecond,
						"the hashes that are being computed, and its own (%d at once)", signin.HashesAtOnce())
				}
				stop()
				loops.Wait()
			})
		})
	}
}

// busyHasher counts the hashes that are computed at once.
type busyHasher struct {
	slowHasher
	now, most atomic.Int64
}

func (h *busyHasher) Hash(ctx context.Context, password secret.String) (string, error) {
	defer h.work()()
	return h.slowHasher.Hash(ctx, password)
}

func (h *busyHasher) Verify(ctx context.Context, hash string, password secret.String) (matches, outdated bool, err error) {
	defer h.work()()
	return h.slowHasher.Verify(ctx, hash, password)
}

func (h *busyHasher) work() (done func()) {
	now := h.now.Add(1)
	for most := h.most.Load(); now > most && !h.most.CompareAndSwap(most, now); most = h.most.Load() {
	}
	<-time.After(10 * time.Millisecond)
	return func() { h.now.Add(-1) }
}

func TestAUT12_half_of_the_processors_hash(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	for processors, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 9: 4} {
		runtime.GOMAXPROCS(processors)
		assert.Equal(t, want, signin.HashesAtOnce(), processors)
	}
}

// TestAUT12_changed_passwords_are_hashed_in_turns: the new hash waits in the same queue as
// logins.
func TestAUT12_changed_passwords_are_hashed_in_turns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, hasher := memory.New(), &busyHasher{}
		s := newSignin(store, store.Tokens, hasher, signin.Joining{}, time.Now, io.Discard)
		var changes sync.WaitGroup
		for i := range signin.HashesAtOnce() + 8 {
			id, err := s.Register(t.Context(), signin.Registration{
				Username: fmt.Sprintf("+86-1390000%04d", i), Password: secret.New(signinPassword), Member: user.Member{Timezone: "UTC"},
			})
			require.NoError(t, err)
			changes.Go(func() {
				assert.NoError(t, s.ChangePassword(t.Context(), access.Actor{ID: id}, signin.PasswordChange{
					Old: secret.New(signinPassword), New: secret.New("a walk by the lake"), From: netip.MustParseAddr("192.0.2.1"),
				}, nil))
			})
		}
		hasher.most.Store(0)
		changes.Wait()
		assert.LessOrEqual(t, hasher.most.Load(), int64(signin.HashesAtOnce()))
	})
}
