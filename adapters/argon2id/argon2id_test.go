package argon2id

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/test/ports"
)

var (
	_        access.Hasher = (*Hasher)(nil)
	password               = secret.New("correct horse battery staple")
)

func TestHasher(t *testing.T) {
	ports.Hasher(t, ports.Hashers{
		Today:  func(*testing.T) access.Hasher { return New(Cheap, 1, 4) },
		Former: func(*testing.T) access.Hasher { return New(Params{Memory: 32, Time: 2, Threads: 2}, 1, 4) },
	})
}

func TestHashesOfTheReferenceImplementationAreRead(t *testing.T) {
	h := New(Cheap, 1, 0)
	for _, stored := range []struct{ password, hash string }{
		{"correct horse", "$argon2id$v=19$m=256,t=3,p=2$c29tZXNhbHRzb21lc2FsdA$7spm2x4WHG8c8C+Y0OpAgx/lehOzaF6sfo6KPWr/D3Y"},
		{"密码", "$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OQ$ayvtZ5c1UiXVBBHO4rn3uw"},
		{"pass$word", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$" +
			"+bVyfFMVBiYCw/RyX6sUY9mKV18dm0Qrml/QFnmHUKMZLrHNP9zSJvnBdXh4P58FpgYaR/OTkVInyzOWrJOqsA"},
	} {
		matches, outdated, err := h.Verify(t.Context(), stored.hash, secret.New(stored.password))
		require.NoError(t, err)
		assert.True(t, matches)
		assert.True(t, outdated)
		matches, _, err = h.Verify(t.Context(), stored.hash, secret.New(stored.password+" "))
		require.NoError(t, err)
		assert.False(t, matches)
	}
}

func TestHashesHaveTheParametersOfOWASP(t *testing.T) {
	hash, err := New(OWASP, 1, 0).Hash(t.Context(), password)
	require.NoError(t, err)
	assert.Regexp(t, `^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`, hash)
}

func TestStoredHashesThatAreRefused(t *testing.T) {
	const salt, key = "c29tZXNhbHRzb21lc2FsdA", "dGhpcnR5LXR3byBieXRlcyBvZiBhIHRlc3Qga2V5ISE"
	form := func(params string) string { return "$argon2id$v=19$" + params + "$" + salt + "$" + key }
	h := New(Cheap, 1, 0)
	_, _, err := h.Verify(t.Context(), form("m=64,t=1,p=1"), password)
	require.NoError(t, err, "what is broken below was whole")

	for _, stored := range []string{
		form("m=4294967295,t=1,p=1"), form("m=131073,t=1,p=1"), form("m=999999999,t=1,p=1"),
		form("m=64,t=4294967295,p=1"), form("m=64,t=17,p=1"), form("m=2048,t=1,p=17"), form("m=2048,t=1,p=255"),
		form("m=2048,t=1,p=257"), form("m=64,t=0,p=1"), form("m=64,t=1,p=0"), form("m=0,t=1,p=1"), form("m=15,t=1,p=2"),
		form("m=-1,t=1,p=1"), form("m=64,p=1,t=1"), form("m=64,t=1"), form(""), form("m=64,t=1,p=1,x=1"), form("m=0x40,t=1,p=1"),
		strings.Replace(form("m=64,t=1,p=1"), "v=19", "v=16", 1),
		strings.Replace(form("m=64,t=1,p=1"), "v=19$", "", 1),
		strings.Replace(form("m=64,t=1,p=1"), "argon2id", "argon2i", 1),
		strings.Replace(form("m=64,t=1,p=1"), salt, "", 1),
		strings.Replace(form("m=64,t=1,p=1"), salt, "c2FsdA", 1),
		strings.Replace(form("m=64,t=1,p=1"), salt, strings.Repeat("c29t", 100), 1),
		strings.Replace(form("m=64,t=1,p=1"), key, "", 1),
		strings.Replace(form("m=64,t=1,p=1"), key, strings.Repeat("c29t", 100), 1),
		strings.TrimSuffix(form("m=64,t=1,p=1"), "E") + "F", form("m=64,t=1,p=1") + "=", form("m=64,t=1,p=1") + "$", " " + form("m=64,t=1,p=1"),
		form("m=64,t=1,p=1") + "\n",
		"$2b$12$abcdefghijklmnopqrstuuvwxyzabcdefghijklmnopqrstuvwxyzabcde", "plain", "$", "$$$$$",
	} {
		_, _, err := h.Verify(t.Context(), stored, password)
		require.Error(t, err, stored)
		_, isFault := fault.As(err)
		assert.False(t, isFault, "nothing that a client could mend: %v", err)
		assert.NotContains(t, err.Error(), key)
	}
}

func TestImpossibleParamsPanic(t *testing.T) {
	for _, p := range []Params{{}, {Memory: 64, Time: 1}, {Memory: 64, Threads: 1}, {Memory: 8, Time: 1, Threads: 2},
		{Memory: 1 << 30, Time: 1, Threads: 1}} {
		assert.Panics(t, func() { New(p, 1, 0) }, "%+v", p)
	}
}

func TestSlotsAreAsManyAsProcessorsUnlessSaid(t *testing.T) {
	assert.Positive(t, cap(New(Cheap, 0, 0).working))
	assert.Equal(t, 3, cap(New(Cheap, 3, -1).callers))
}

func TestTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Cheap, 1, 1)
		hash, err := h.Hash(t.Context(), password)
		require.NoError(t, err)
		leave := occupy(h)

		ctx, cancel := context.WithCancel(t.Context())
		waiting := make(chan error, 1)
		ask := func(ctx context.Context) {
			_, _, err := h.Verify(ctx, hash, password)
			waiting <- err
		}
		go ask(ctx)
		synctest.Wait()
		require.Empty(t, waiting, "the second waits for the first")

		_, hashing := h.Hash(t.Context(), password)
		_, _, verifying := h.Verify(t.Context(), hash, password)
		_, _, unknown := h.Verify(t.Context(), "", password) // takes as much work
		for _, err := range []error{hashing, verifying, unknown} {
			turned, _ := fault.As(err)
			require.True(t, fault.Is(err, fault.Unavailable), "the third is turned away, not %v", err)
			assert.Positive(t, turned.RetryAfter)
		}

		cancel()
		require.ErrorIs(t, <-waiting, context.Canceled)

		go ask(t.Context())
		synctest.Wait()
		require.Empty(t, waiting, "who went away left the queue to others")
		leave()
		require.NoError(t, <-waiting)
	})
}

// occupy takes the slots of a caller whose hash is being computed.
func occupy(h *Hasher) (leave func()) {
	h.callers <- struct{}{}
	h.working <- struct{}{}
	return func() { <-h.working; <-h.callers }
}

func TestHashesAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threads := rapid.Uint8Range(1, maxThreads).Draw(t, "p")
		want := hash{
			Params: Params{
				Memory:  rapid.Uint32Range(memoryPerThread*uint32(threads), maxMemory).Draw(t, "m"),
				Time:    rapid.Uint32Range(1, maxTime).Draw(t, "t"),
				Threads: threads,
			},
			salt: rapid.SliceOfN(rapid.Byte(), 8, 48).Draw(t, "salt"),
			key:  rapid.SliceOfN(rapid.Byte(), 12, 64).Draw(t, "key"),
		}
		got, err := parse(want.String())
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

func FuzzParse(f *testing.F) {
	f.Add("$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$dGhpcnR5LXR3byBieXRlcyBvZiBhIHRlc3Qga2V5ISE")
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=255$$")
	for _, stored := range []string{
		"", "$", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$dGhpcnR5LXR3byBieXRlcyBvZiBhIHRlc3Qga2V5ISE",
		"$argon2id$v=19$m=64,t=1,p=1$c29t\n$dGhp", "$argon2id$v=19$m=64,t=1,p=1,keyid=x$c29tZXNhbHRzb21lc2FsdA$dGhpcnR5",
		"$argon2id$v=16$m=064,t=+1,p=1$AAAA$AAAA",
	} {
		f.Add(stored)
	}
	f.Fuzz(func(t *testing.T, stored string) {
		h, err := parse(stored)
		if err != nil {
			return
		}
		require.NoError(t, h.check())
		require.NotEmpty(t, h.salt)
		require.NotEmpty(t, h.key)
		again, err := parse(h.String())
		require.NoError(t, err)
		require.Equal(t, h, again)
	})
}

func BenchmarkVerify(b *testing.B) {
	h := New(OWASP, 1, 0)
	hash, err := h.Hash(b.Context(), password)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, _, _ = h.Verify(b.Context(), hash, password)
	}
}
