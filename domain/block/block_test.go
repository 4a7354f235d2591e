package block_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/block"
	"plaza/domain/fault"
)

func TestMOD02_nobody_blocks_themselves(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	b, err := block.New(3, 4, noon.Add(time.Nanosecond))
	require.NoError(t, err)
	assert.Equal(t, block.Block{By: 3, Whom: 4, Created: noon}, b)
	_, err = block.New(3, 3, noon)
	assert.True(t, fault.Is(err, fault.Invalid), "%v", err)
}
