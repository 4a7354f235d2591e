// Package sqlite lends tests databases in files: copies of one that was prepared once,
// because making a schema takes longer than most tests.
package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Copies returns what puts a copy of a database into a folder and tells its URL. Prepare
// fills the database at the URL, once per process at most; it must have closed its
// connections when it returns.
func Copies(prepare func(ctx context.Context, url string) error) func(t testing.TB, folder string) string {
	prepared := sync.OnceValues(func() ([]byte, error) { return contentOf(prepare) })
	return func(t testing.TB, folder string) string {
		t.Helper()
		content, err := prepared()
		path := filepath.Join(folder, "plaza.db")
		if err == nil {
			err = os.WriteFile(path, content, 0o600)
		}
		if err != nil {
			t.Fatalf("no database for this test: %v", err)
		}
		return "sqlite:" + path
	}
}

func contentOf(prepare func(context.Context, string) error) (content []byte, err error) {
	folder, err := os.MkdirTemp("", "plaza-sqlite-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "plaza.db")
	if err := prepare(context.Background(), "sqlite:"+path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
