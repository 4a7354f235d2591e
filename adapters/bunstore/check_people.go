package bunstore

import (
	"context"
	"fmt"
)

// telephones finds accounts of one telephone under several login names, from before AUT-03. People decide which of them
// stays.
func (c check) telephones(ctx context.Context) error {
	var all []string
	err := c.Read(ctx, func(ctx context.Context) error {
		all = nil
		return c.Reader.NewSelect().Table("users").ColumnExpr("string_agg(CAST(id AS text), ', ')").
			GroupExpr(telephone).Having("count(*) > 1").OrderExpr("min(id)").Scan(ctx, &all)
	})
	for _, ids := range all {
		c.found(Finding{What: fmt.Sprintf("the accounts %s have login names of one telephone", ids)})
	}
	return err
}
