package bunstore

import (
	"context"

	"github.com/uptrace/bun"
)

type backgroundRow struct {
	bun.BaseModel `bun:"table:chores,alias:c"`
	Name          string `bun:",pk"`
	Done          bool
}

// Begin records the start of a chore that runs once per database, such as loading the
// demo data. It reports true for first to exactly one caller on any server, and reports
// to the others whether the chore is done.
func (s *Store) Begin(ctx context.Context, chore string) (first, done bool, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *transaction) error {
		first, err = affected(tx.NewInsert().Model(&backgroundRow{Name: chore}).On("CONFLICT (name) DO NOTHING").Exec(ctx))
		if err != nil || first {
			return err
		}
		return tx.NewSelect().Model((*backgroundRow)(nil)).Column("done").Where("name = ?", chore).Scan(ctx, &done)
	})
	return first, done, err
}

// Finish records that the chore is done.
func (s *Store) Finish(ctx context.Context, chore string) error {
	return s.write(ctx, func(ctx context.Context, tx *transaction) error {
		_, err := tx.NewUpdate().Model(&backgroundRow{Name: chore, Done: true}).WherePK().Exec(ctx)
		return err
	})
}
