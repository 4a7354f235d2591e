package engine

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	bundialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// boundDialect is bun's dialect of Postgres, but texts and bytes are bound parameters. bun writes
// every argument into the text of a query, and its quotes are right only while the server's
// settings are the usual ones. This dialect writes a mark there, which carries the value, and bind
// makes a parameter of the mark before the query is sent.
type boundDialect struct{ *pgdialect.Dialect }

// markByte begins a mark. Behind it come the number of bytes of the value, a colon, and the value. No
// statement contains this byte.
const markByte = '\x00'

func marked(b []byte, value string) []byte {
	b = strconv.AppendInt(append(b, markByte), int64(len(value)), 10)
	return append(append(b, ':'), value...)
}

func (boundDialect) AppendString(b []byte, s string) []byte { return marked(b, s) }

func (boundDialect) AppendBytes(b, bytes []byte) []byte {
	if bytes == nil {
		return bundialect.AppendNull(b)
	}
	return marked(b, `\x`+hex.EncodeToString(bytes))
}

func (boundDialect) AppendJSON(b, json []byte) []byte { return marked(b, string(json)) }

// bind returns the statement of a query of bun, with parameters in place of the marks, and their
// values. The server infers the parameters' types as it does those of quoted texts.
func bind(query string) (statement string, values []any) {
	if strings.IndexByte(query, markByte) < 0 {
		return query, nil
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(query, string(markByte))
		b.WriteString(before)
		if !found {
			return b.String(), values
		}
		length, rest, _ := strings.Cut(rest, ":")
		n, err := strconv.Atoi(length)
		if err != nil || n > len(rest) {
			panic("a mark that boundDialect did not write")
		}
		values, query = append(values, rest[:n]), rest[n:]
		b.WriteString("$" + strconv.Itoa(len(values)))
	}
}

// poolConnector opens connections of the pool for database/sql, which send queries as bind makes
// them, and closes the pool together with the database that uses it.
type poolConnector struct {
	driver.Connector
	pool *pgxpool.Pool
}

func (o poolConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := o.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return boundConn{conn.(*stdlib.Conn)}, nil
}

func (o poolConnector) Close() error {
	o.pool.Close()
	return nil
}

type boundConn struct{ *stdlib.Conn }

func (c boundConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	statement, args := withBound(query, args)
	return c.Conn.QueryContext(ctx, statement, args)
}

func (c boundConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	statement, args := withBound(query, args)
	return c.Conn.ExecContext(ctx, statement, args)
}

// withBound returns what bind makes of the query. Queries of bun come without args.
func withBound(query string, args []driver.NamedValue) (string, []driver.NamedValue) {
	statement, values := bind(query)
	for i, value := range values {
		args = append(args, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	return statement, args
}
