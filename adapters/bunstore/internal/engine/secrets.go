package engine

import (
	"context"
	"crypto/rand"
	"fmt"

	"plaza/domain/secret"
)

const (
	// secretOf finds the content of the secret $1.
	secretOf = `
		SELECT content FROM secrets WHERE name = $1`

	// insertSecret stores the content $2 of the secret $1, unless it has one.
	insertSecret = `
		INSERT INTO secrets (name, content) VALUES ($1, $2)
		ON CONFLICT (name) DO NOTHING`

	// storeSecret stores the content $2 of the secret $1.
	storeSecret = `
		INSERT INTO secrets (name, content) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET content = EXCLUDED.content`
)

// Secret returns the named key, which all servers on the database share. The first call
// generates it at random; concurrent first calls return the same key.
func (s *DB) Secret(ctx context.Context, name string) (key secret.String, err error) {
	return s.secret(ctx, name, rand.Text()+rand.Text())
}

// Kept returns the named text, which all servers on the database share, or an empty one. It stores the content first, unless
// that is empty or the database has the text.
func (s *DB) Kept(ctx context.Context, name, content string) (string, error) {
	kept, err := s.secret(ctx, name, content)
	return kept.Reveal(), err
}

// Keep stores the named text in the place of a former one.
func (s *DB) Keep(ctx context.Context, name, content string) error {
	return s.Exec(ctx, storeSecret, name, content)
}

// secret is Secret with the content for a new key. Without content it makes none, and returns the zero String.
func (s *DB) secret(ctx context.Context, name, content string) (secret.String, error) {
	var stored string
	err := s.ReadRow(ctx, secretOf, []any{name}, &stored)
	if err == nil && stored == "" && content != "" {
		err = s.Write(ctx, func(tx *Tx) error {
			tx.Queue(insertSecret, name, content)
			tx.Queue(secretOf, name).Into(&stored)
			return nil
		})
	}
	if err != nil {
		return secret.String{}, fmt.Errorf("load secret %s: %w", name, err)
	}
	return secret.New(stored), nil
}
