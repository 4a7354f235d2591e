package instant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/text"
)

var (
	noon  = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	first = time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)
	last  = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	east  = time.FixedZone("", 8*60*60)
)

func TestGEN02_an_instant_has_one_form(t *testing.T) {
	assert.Equal(t, noon, instant.Normalise(noon.Add(999).In(east)))
	assert.Equal(t, noon, instant.Normalise(noon))
	assert.True(t, instant.Normalise(time.Time{}).IsZero())
	assert.NotContains(t, instant.Normalise(time.Now()).String(), "m=", "no monotonic reading")
}

func TestADM04_instants_are_in_years_that_everybody_can_write(t *testing.T) {
	for _, good := range []time.Time{noon, first, last, first.In(east), last.In(east)} {
		assert.Empty(t, instant.Problem(good), good)
		assert.Empty(t, instant.Problem(instant.Normalise(good)), good)
	}
	for _, bad := range []time.Time{first.Add(-1), last.Add(1), first.Add(-1).In(east), last.Add(1).In(time.FixedZone("", -60))} {
		assert.Contains(t, instant.Problem(bad), "1000 and 9999", bad)
	}
	assert.Equal(t, text.Required, instant.Problem(time.Time{}))
	assert.Equal(t, text.Required, instant.Problem(time.Time{}.In(east)))
}

func TestADM04_what_was_never_updated_was_last_updated_when_it_was_created(t *testing.T) {
	created, updated := noon.Add(1).In(east), time.Time{}
	assert.Empty(t, instant.Lifetime(&created, &updated))
	assert.Equal(t, noon, created)
	assert.Equal(t, noon, updated)
}

func TestADM04_the_two_ends_of_a_lifetime(t *testing.T) {
	for name, c := range map[string]struct {
		created, updated time.Time
		wrong            []string
	}{
		"updated at once":                {noon, noon, nil},
		"updated later":                  {noon, noon.Add(time.Microsecond), nil},
		"updated in another zone":        {noon, noon.In(east), nil},
		"not before, as it is kept":      {noon.Add(999), noon, nil},
		"updated before":                 {noon, noon.Add(-time.Microsecond), []string{"updated"}},
		"never created":                  {time.Time{}, noon, []string{"created"}},
		"neither":                        {time.Time{}, time.Time{}, []string{"created"}},
		"created too early":              {first.Add(-1), time.Time{}, []string{"created"}},
		"updated too late":               {noon, last.Add(1), []string{"updated"}},
		"both are wrong":                 {first.Add(-1), last.Add(1), []string{"created", "updated"}},
		"updated wrongly, created never": {time.Time{}, last.Add(1), []string{"created", "updated"}},
	} {
		wrong := instant.Lifetime(&c.created, &c.updated)
		assert.Len(t, wrong, len(c.wrong), name)
		for _, field := range c.wrong {
			assert.Len(t, wrong[field], 1, "%s: %s", name, field)
		}
	}
	var nothing fault.Fields
	created, updated := noon, noon
	assert.Equal(t, nothing, instant.Lifetime(&created, &updated))
}
