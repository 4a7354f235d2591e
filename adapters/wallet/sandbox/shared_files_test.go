package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestShared_files_are_random_in_each_data_directory(t *testing.T) {
	for name, read := range map[string]func(dir string) (string, error){
		keyFile:      func(dir string) (string, error) { key, err := SharedKey(dir); return key.Reveal(), err },
		merchantFile: func(dir string) (string, error) { m, err := SharedMerchant(dir); return m.Key.Reveal(), err },
	} {
		dir := filepath.Join(t.TempDir(), "not", "there")
		all := make([]string, 3)
		var wait sync.WaitGroup
		for i := range all {
			wait.Go(func() {
				found, err := read(dir)
				assert.NoError(t, err, name)
				all[i] = found
			})
		}
		wait.Wait()
		assert.Len(t, slices.Compact(all), 1, "%s: calls at once find the same", name)
		other, err := read(t.TempDir())
		require.NoError(t, err, name)
		assert.NotEqual(t, all[0], other, name)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err, name)
		require.Len(t, entries, 1, name)
		info, err := entries[0].Info()
		require.NoError(t, err, name)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), name)
		assert.Equal(t, name, info.Name())

		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("short-and-secret"), 0o600))
		_, err = read(dir)
		require.ErrorContains(t, err, "remove the file", name)
		assert.NotContains(t, err.Error(), "short-and-secret", name)
	}
}
