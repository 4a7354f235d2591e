package reentry_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/reentry"
)

func TestCheck_fails_inside_Run_on_the_same_goroutine_only(t *testing.T) {
	var g reentry.Guard
	assert.NoError(t, g.Check())
	boom := errors.New("boom")
	err := g.Run(func() error {
		assert.ErrorIs(t, g.Check(), reentry.ErrInside)
		var wait sync.WaitGroup
		wait.Go(func() { assert.NoError(t, g.Check(), "another goroutine may") })
		wait.Wait()
		return boom
	})
	assert.Same(t, boom, err)
	assert.NoError(t, g.Check(), "after Run it succeeds")
}

func TestA_panic_leaves_the_guard_open(t *testing.T) {
	var g reentry.Guard
	assert.Panics(t, func() { _ = g.Run(func() error { panic("fn is broken") }) })
	assert.NoError(t, g.Check())
}

func TestMany_guards_and_goroutines(t *testing.T) {
	var a, b reentry.Guard
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			assert.NoError(t, a.Run(func() error {
				assert.NoError(t, b.Check(), "guards are independent")
				return nil
			}))
			assert.NoError(t, a.Check())
		})
	}
	wait.Wait()
}
