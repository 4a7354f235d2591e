package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"plaza/domain/media"
	"plaza/domain/secret"
)

// floor is a server by hand that answers the requests of a few scenarios just as Plaza does, without layers, limits, ids, log
// and metrics. It knows only what is asked here. A read takes one round trip, or two where the second depends on the first;
// rows are scanned, by their positions, into what is rendered.
type floor struct {
	*pgxpool.Pool
	addresses media.Addresses
}

// publicURL is what Plaza and the floor both take for their address, so that their
// links are the same.
const publicURL = "https://plaza.example"

// openPostgres opens connections that keep prepared statements, with plans that do not depend on parameters.
func openPostgres(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.ConnConfig.RuntimeParams["random_page_cost"] = "1.1"
	config.MaxConns = 16
	return pgxpool.NewWithConfig(ctx, config)
}

// all returns the rows of the statement.
func all[T any](ctx context.Context, f *floor, statement string, args ...any) ([]T, error) {
	rows, _ := f.Query(ctx, statement, args...) // the rows have its error
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}

// one returns the only row of the statement. Without one the caller may not see what is asked.
func one[T any](ctx context.Context, f *floor, statement string, args ...any) (T, error) {
	rows, _ := f.Query(ctx, statement, args...)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[T])
}

// queue has the batch call each with the rows of the statement.
func queue[T any](b *pgx.Batch, each func(T), statement string, args ...any) {
	b.Queue(statement, args...).Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		for _, row := range found {
			each(row)
		}
		return err
	})
}

func (f *floor) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /api/feed/items/{id}/":            f.items,
		"GET /api/xfile/event/{id}/":           f.event,
		"GET /api/xfile/event/{id}/view-list/": f.list,
		"PUT /api/activity/like/{id}/":         f.like,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			content, err := answer(r)
			if err == nil {
				err = respond(w, r, content)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	return mux
}

// respond sends the content; nil is none. A client that knows of entity tags gets one.
func respond(w http.ResponseWriter, r *http.Request, content any) error {
	if content == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		return err
	}
	if known := r.Header.Get("If-None-Match"); known != "" {
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256(body.Bytes()))
		w.Header().Set("ETag", tag)
		if tag == known {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.Write(body.Bytes())
	return nil
}

// floorOf is the variable of the environment that makes the test program a floor
// over the database that it names.
const floorOf = "PLAZA_BENCH_FLOOR"

// serveFloor serves until the standard input ends, and so never outlives the process that
// started it.
func serveFloor(url string) error {
	ctx := context.Background()
	db, err := openPostgres(ctx, url)
	if err != nil {
		return err
	}
	var key string
	if err := db.QueryRow(ctx, "SELECT content FROM secrets WHERE name = $1", signingKey).Scan(&key); err != nil {
		return err
	}
	f := &floor{db, media.NewAddresses(publicURL, secret.New(key))}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: f.handler(), ReadHeaderTimeout: time.Minute}
	go server.Serve(listener)
	fmt.Printf("The floor is at http://%s\n", listener.Addr())
	io.Copy(io.Discard, os.Stdin)
	return server.Close()
}
