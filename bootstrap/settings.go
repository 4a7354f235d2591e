package bootstrap

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Settings are the settings as written: environment variables with the prefix PLAZA_, each
// also a flag of serve. Check turns them into a Config.
type Settings struct {
	Addr                string `default:"127.0.0.1:8080" env:"PLAZA_ADDR" help:"Address of the REST interface." placeholder:"HOST:PORT"`
	AdminAddr           string `default:"127.0.0.1:9080" env:"PLAZA_ADMIN_ADDR" help:"Address of /livez, /readyz and /metrics, not for the public." placeholder:"HOST:PORT"`
	DatabaseURL         string `env:"PLAZA_DATABASE_URL" help:"Where data is kept: postgres://…, sqlite:PATH, or memory:, which is lost at exit (default: SQLite in the data directory)." placeholder:"URL"`
	DatabasePooler      bool   `env:"PLAZA_DATABASE_POOLER" help:"The database is behind a pooler such as PgBouncer: connections keep no state."`
	DatabaseConnections string `env:"PLAZA_DATABASE_CONNECTIONS" help:"Maximum connections of this server to Postgres (default: four for each processor, at least 16). The sum over all servers must stay below max_connections of Postgres." placeholder:"N"`
	Migrate             string `default:"true" env:"PLAZA_MIGRATE" help:"Whether a start applies missing migrations; with false it fails if some are missing." placeholder:"BOOL"`
	DatabaseWait        string `default:"30s" env:"PLAZA_DATABASE_WAIT" help:"How long a start waits for an unreachable database." placeholder:"DURATION"`
	DataDir             string `default:"var" env:"PLAZA_DATA_DIR" help:"Folder of the embedded database, of pictures, and of the wallet sandbox's key." placeholder:"DIR"`
	PublicURL           string `env:"PLAZA_PUBLIC_URL" help:"Address that clients see, for links to pictures (default: http:// and the address of the REST interface)." placeholder:"URL"`
	TokenTTL            string `default:"720h" env:"PLAZA_TOKEN_TTL" help:"How long a token lives from its last use." placeholder:"DURATION"`
	TranslatorSettings
	MediaSettings
	WalletSettings
	TrustedProxies string `env:"PLAZA_TRUSTED_PROXIES" help:"Addresses or networks, comma separated, whose X-Forwarded-For is trusted (default: none)." placeholder:"CIDR,..."`
	LogLevel       string `default:"info" env:"PLAZA_LOG_LEVEL" help:"debug, info, warn or error." placeholder:"LEVEL"`
	LogFormat      string `default:"text" env:"PLAZA_LOG_FORMAT" help:"text or json." placeholder:"FORMAT"`
}

// Config is the configuration of the program: Settings, checked and parsed.
type Config struct {
	Addr                string
	AdminAddr           string
	DatabaseURL         string // memory:, sqlite:PATH or postgres://…; may hold a password
	DatabasePooler      bool
	DatabaseConnections int  // zero: depends on the number of processors
	KeepSchema          bool // only plaza migrate up changes the schema
	DatabaseWait        time.Duration
	DataDir             string
	PublicURL           string // without a trailing slash; empty: the listening address
	TokenTTL            time.Duration
	Translator          TranslatorConfig
	Media               MediaConfig
	Wallet              WalletConfig
	TrustedProxies      []netip.Prefix
	LogLevel            slog.Level
	LogFormat           string
}

// maxTokenTTL is a limit that every store can represent.
const maxTokenTTL = 10 * 365 * 24 * time.Hour

// Check returns the configuration, or all problems with the settings together.
func (s Settings) Check() (Config, error) {
	var c Config
	var problems noted
	var err error
	c.Addr, err = s.Addr, checkAddr(s.Addr)
	problems.note("ADDR", err)
	c.AdminAddr, err = s.AdminAddr, checkAddr(s.AdminAddr)
	problems.note("ADMIN_ADDR", err)
	c.DataDir, err = s.DataDir, checkDir(s.DataDir)
	problems.note("DATA_DIR", err)
	c.DatabaseURL, err = databaseURL(s.DatabaseURL, s.DataDir)
	problems.note("DATABASE_URL", err)
	c.DatabasePooler = s.DatabasePooler
	c.DatabaseConnections, err = connections(s.DatabaseConnections)
	problems.note("DATABASE_CONNECTIONS", err)
	c.KeepSchema, err = s.Migrate == "false", oneOf(cmp.Or(s.Migrate, "true"), "true", "false")
	problems.note("MIGRATE", err)
	c.DatabaseWait, err = wait(s.DatabaseWait)
	problems.note("DATABASE_WAIT", err)
	c.PublicURL, err = publicURL(s.PublicURL)
	problems.note("PUBLIC_URL", err)
	c.TokenTTL, err = lifetime(s.TokenTTL)
	problems.note("TOKEN_TTL", err)
	c.Translator = s.TranslatorSettings.check(&problems)
	c.Media = s.MediaSettings.check(&problems)
	c.Wallet = s.WalletSettings.check(&problems)
	c.TrustedProxies, err = prefixes(s.TrustedProxies)
	problems.note("TRUSTED_PROXIES", err)
	problems.note("LOG_LEVEL", c.LogLevel.UnmarshalText([]byte(s.LogLevel)))
	c.LogFormat, err = s.LogFormat, oneOf(s.LogFormat, "text", "json")
	problems.note("LOG_FORMAT", err)
	return c, problems.err()
}

// connections parses a number of connections. Empty is zero.
func connections(value string) (int, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 2 || n > 1000 {
		return 0, fmt.Errorf("%q is not a number from 2 to 1000", value)
	}
	return n, nil
}

// noted collects problems with settings, prefixed with the names of their variables.
type noted []error

func (n *noted) note(variable string, err error) {
	if err != nil {
		*n = append(*n, fmt.Errorf("PLAZA_%s: %w", variable, err))
	}
}

func (n *noted) err() error { return errors.Join(*n...) }

func checkAddr(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT", addr)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf("%q has no valid port", addr)
	}
	return nil
}

// inMemory is the database URL of the in-memory store.
const inMemory = "memory:"

// databaseURL returns the URL of the database. Errors never quote it: it may have a password.
func databaseURL(value, dataDir string) (string, error) {
	path, embedded := strings.CutPrefix(value, "sqlite:")
	switch {
	case value == "":
		return "sqlite:" + filepath.Join(dataDir, "plaza.db"), nil
	case value == inMemory:
		return value, nil
	case embedded && path == "":
		return "", errors.New("sqlite: needs the path of a file")
	case embedded:
		return value, nil
	case strings.HasPrefix(value, "postgres://"), strings.HasPrefix(value, "postgresql://"):
		if _, err := url.Parse(value); err != nil {
			return "", errors.New("is not a valid URL after postgres://")
		}
		return value, nil
	}
	return "", errors.New("must be postgres://…, memory: or sqlite:PATH")
}

func checkDir(dir string) error {
	if dir == "" {
		return errors.New("a folder is required")
	}
	return nil
}

func publicURL(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return "", fmt.Errorf("%q is not an http or https address", value)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", fmt.Errorf("%q must not have a user, query or fragment", value)
	}
	return strings.TrimRight(value, "/"), nil
}

func lifetime(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Minute || d > maxTokenTTL {
		return 0, fmt.Errorf("%q is not a duration from 1m to %v, like 720h", value, maxTokenTTL)
	}
	return d, nil
}

// wait parses how long to wait for the database. Empty is zero: the store's default.
func wait(value string) (time.Duration, error) {
	if value == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > time.Hour {
		return 0, fmt.Errorf("%q is not a duration from 0s to 1h, like 30s", value)
	}
	return max(d, time.Millisecond), nil
}

func prefixes(value string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	var problems []error
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(part)
		if addr, addrErr := netip.ParseAddr(part); addrErr == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%q is not an address or network", part))
		}
		all = append(all, prefix)
	}
	return all, errors.Join(problems...)
}

func oneOf(value string, names ...string) error {
	for _, name := range names {
		if value == name {
			return nil
		}
	}
	return fmt.Errorf("%q is not one of %s", value, strings.Join(names, ", "))
}
