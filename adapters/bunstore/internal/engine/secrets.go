package engine

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"plaza/domain/secret"
)

// secretRow is a key shared by all servers on the database.
type secretRow struct {
	bun.BaseModel `bun:"table:secrets,alias:k"`
	Name          string `bun:",pk"`
	Content       string
}

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
	row := secretRow{Name: name, Content: content}
	return s.TransactAll(ctx, []Step{Built(s.Writer.NewInsert().Model(&row).On("CONFLICT (name) DO UPDATE").Set("content = EXCLUDED.content"))})
}

// secret is Secret with the content for a new key. Without content it makes none, and returns the zero String.
func (s *DB) secret(ctx context.Context, name, content string) (key secret.String, err error) {
	err = s.Read(ctx, func(ctx context.Context) (err error) {
		key, err = storedSecret(ctx, s.Reader.NewSelect(), name)
		return err
	})
	switch {
	case errors.Is(err, sql.ErrNoRows) && content == "":
		return secret.String{}, nil
	case errors.Is(err, sql.ErrNoRows):
		err = s.Transact(ctx, s.Limit, nil, func(ctx context.Context, tx *Tx) ([]Step, error) {
			row := secretRow{Name: name, Content: content}
			if _, err := tx.NewInsert().Model(&row).On("CONFLICT (name) DO NOTHING").Exec(ctx); err != nil {
				return nil, err
			}
			key, err = storedSecret(ctx, tx.NewSelect(), name)
			return nil, err
		})
	}
	if err != nil {
		return secret.String{}, fmt.Errorf("load secret %s: %w", name, err)
	}
	return key, nil
}

func storedSecret(ctx context.Context, query *bun.SelectQuery, name string) (secret.String, error) {
	var row secretRow
	err := query.Model(&row).Where("name = ?", name).Scan(ctx)
	return secret.New(row.Content), err
}
