package postgres

import (
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"plaza/test/faultproxy"
)

// Behind starts a proxy before the server of the database, and returns it with the URL of the database by way of it.
func Behind(t testing.TB, database string) (line *faultproxy.Proxy, through string) {
	t.Helper()
	network, address := Address(t, database)
	line = faultproxy.Start(t, network, address)
	return line, Through(t, database, line.Address())
}

// Address returns where the server of the database listens, as net.Dial takes it.
func Address(t testing.TB, database string) (network, address string) {
	t.Helper()
	config := parse(t, database)
	return pgconn.NetworkAddress(config.Host, config.Port)
}

// Through returns the URL of the database by way of a proxy before its server. The proxy listens on TCP.
func Through(t testing.TB, database, proxy string) string {
	t.Helper()
	config := parse(t, database)
	through := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password),
		Host: proxy, Path: config.Database, RawQuery: "sslmode=disable",
	}
	return through.String()
}

func parse(t testing.TB, database string) *pgconn.Config {
	t.Helper()
	config, err := pgconn.ParseConfig(database)
	if err != nil {
		t.Fatalf("the URL of a test's database: %v", err)
	}
	return config
}
