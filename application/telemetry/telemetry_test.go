package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/application/telemetry"
)

func TestAge(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	assert.Zero(t, telemetry.Sample{}.Age(noon), "none is open")
	assert.Equal(t, time.Minute, telemetry.Sample{OldestPrepayment: noon.Add(-time.Minute)}.Age(noon))
	assert.Zero(t, telemetry.Sample{OldestPrepayment: noon.Add(time.Second)}.Age(noon), "the clock of another server is ahead")
}

func TestRemaining(t *testing.T) {
	assert.EqualValues(t, 30, telemetry.Sample{Spent: 70}.Remaining(100))
	assert.EqualValues(t, 0, telemetry.Sample{Spent: 170}.Remaining(100), "the budget was larger earlier in the day")
}
