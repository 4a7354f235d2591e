// Package settings has the settings of the program: they are parsed from flags, the environment and files, and checked
// all at once.
//
// A setting is a plain value. The package knows no adapter and starts nothing.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/domain/secret"
)

// Config is the configuration of the program. Its settings are environment variables with the
// prefix PLAZA_, each also a flag of serve.
type Config struct {
	Addr                string        `default:"127.0.0.1:8080" env:"PLAZA_ADDR" help:"Address of the REST interface." placeholder:"HOST:PORT"`
	AdminAddr           string        `default:"127.0.0.1:9080" env:"PLAZA_ADMIN_ADDR" help:"Address of health, metrics, profiles and the back office, not for the public." placeholder:"HOST:PORT"`
	DatabaseURL         string        `env:"PLAZA_DATABASE_URL" secret:"" help:"Where data is kept: postgres://…, sqlite:PATH, or memory:, which is lost at exit (default: SQLite in the data directory)." placeholder:"URL"` // may hold a password
	DatabasePooler      bool          `env:"PLAZA_DATABASE_POOLER" help:"The database is behind a pooler such as PgBouncer: connections keep no state."`
	DatabaseConnections int           `env:"PLAZA_DATABASE_CONNECTIONS" help:"Maximum connections of this server to Postgres (default: four for each processor, at least 16). The sum over all servers must stay below max_connections of Postgres." placeholder:"N"`
	Migrate             string        `default:"true" env:"PLAZA_MIGRATE" help:"Whether a start applies missing migrations; with false it fails if some are missing." placeholder:"BOOL"`
	DatabaseWait        time.Duration `default:"30s" env:"PLAZA_DATABASE_WAIT" help:"How long a start waits for an unreachable database." placeholder:"DURATION"`
	DataDir             string        `default:"var" env:"PLAZA_DATA_DIR" help:"Folder of the embedded database, of pictures, and of the wallet sandbox's key." placeholder:"DIR"`
	BackOffice          string        `default:"admin" env:"PLAZA_BACK_OFFICE" help:"Where the pages for staff at /back-office/ are served: admin (the address of health and metrics), public (that of the REST interface) or off." placeholder:"WHERE"`
	SecondFactor        string        `name:"staff-second-factor" default:"auto" env:"PLAZA_STAFF_SECOND_FACTOR" help:"Whether staff need a second factor for the back office: required or off (auto: off with --demo, else required)." placeholder:"WHETHER"`
	PublicURL           string        `env:"PLAZA_PUBLIC_URL" help:"Address that clients see, for links to pictures (default: http:// and the address of the REST interface)." placeholder:"URL"` // without a trailing slash
	TokenTTL            time.Duration `default:"720h" env:"PLAZA_TOKEN_TTL" help:"How long a token lives from its last use." placeholder:"DURATION"`

	Translator          string        `default:"auto" env:"PLAZA_TRANSLATOR" help:"Translator of publications: none, {translators} (auto: pseudo with --demo, else none)." placeholder:"NAME"`
	TranslatorURL       string        `env:"PLAZA_TRANSLATOR_URL" help:"Address of the translator (default: the provider's own; needed with {translators_by_url})." placeholder:"URL"`
	TranslatorKey       secret.String `env:"PLAZA_TRANSLATOR_KEY" help:"The translator's API key." placeholder:"KEY"`
	TranslatorRegion    string        `env:"PLAZA_TRANSLATOR_REGION" help:"Region of the translator's key, if it has one." placeholder:"REGION"`
	TranslatorLanguages Languages     `env:"PLAZA_TRANSLATOR_LANGUAGES" help:"Languages offered to readers, comma separated, like en,pt-BR,zh-Hans (default: a short list with {paid_translators}, else any)." placeholder:"TAG,..."`
	TranslatorBudget    *int64        `env:"PLAZA_TRANSLATOR_BUDGET" help:"Maximum characters per UTC day that all servers together send to the translator; needed with {paid_translators} (default: unlimited)." placeholder:"NUMBER"`

	MediaURL    MediaURL      `env:"PLAZA_MEDIA_URL" help:"Where pictures are stored: file:DIR, or s3://HOST/BUCKET/PREFIX?region=NAME&public=URL&tls=off (default: in the data directory)." placeholder:"URL"`
	MediaKeyID  string        `env:"PLAZA_MEDIA_KEY_ID" help:"Id of the access key for the s3 store." placeholder:"ID"`
	MediaSecret secret.String `env:"PLAZA_MEDIA_SECRET" help:"Secret of the access key." placeholder:"KEY"`

	Wallet    string `default:"auto" env:"PLAZA_WALLET" help:"Which mobile wallet takes payments: none, sandbox or sandboxv3, which move no money, {wallets} (auto: sandbox with --demo, else none)." placeholder:"NAME"`
	WalletURL string `env:"PLAZA_WALLET_URL" help:"Address of the wallet (default: the wallet's own, or a sandbox that the server starts)." placeholder:"URL"`
	MerchantConfig
	RefundConfig
	WalletV3Config
	WalletNotifyURL string        `env:"PLAZA_WALLET_NOTIFY_URL" help:"Where the wallet reports payments (default: the public address with the path of the wallet, /api/pay/notify/wallet/ for wechatpay)." placeholder:"URL"`
	WalletPoll      time.Duration `default:"30s" env:"PLAZA_WALLET_POLL" help:"How often the wallet is polled for pending payments." placeholder:"DURATION"`
	WalletTimeout   time.Duration `default:"5s" env:"PLAZA_WALLET_TIMEOUT" help:"How long the wallet may take to answer." placeholder:"DURATION"`

	SMSConfig

	TrustedProxies Networks `env:"PLAZA_TRUSTED_PROXIES" help:"Addresses or networks, comma separated, whose X-Forwarded-For is trusted (default: none)." placeholder:"CIDR,..."`
	CORSOrigins    Origins  `env:"PLAZA_CORS_ORIGINS" help:"Origins, comma separated, whose pages may call the interface from a browser, like https://app.example; * for any (default: none)." placeholder:"ORIGIN,..."`
	MaxRequests    int      `env:"PLAZA_MAX_REQUESTS" help:"How many requests are worked on at once (default: 32 for each processor, at least 64); further ones are answered with 503." placeholder:"N"`
	MaxConnections int      `default:"10000" env:"PLAZA_MAX_CONNECTIONS" help:"How many connections of clients may be open at once, a tenth of them from one address that is no trusted proxy; a further one is answered with 503 and closed." placeholder:"N"`
	ServerConfig
	LimitsConfig
	QuotaDrafts   Quota      `default:"1000" env:"PLAZA_QUOTA_DRAFTS" help:"How many drafts an account may have; none for no limit." placeholder:"N"`
	QuotaComments Quota      `default:"500" env:"PLAZA_QUOTA_COMMENTS" help:"How many comments an account may write on one event; none for no limit." placeholder:"N"`
	QuotaFollows  Quota      `default:"5000" env:"PLAZA_QUOTA_FOLLOWS" help:"How many people and categories an account may follow, and how many people it may block; none for no limit." placeholder:"N"`
	QuotaPictures ByteQuota  `default:"10GiB" env:"PLAZA_QUOTA_PICTURES" help:"How many bytes an account's pictures may take as they are stored; none for no limit." placeholder:"SIZE"`
	LogLevel      slog.Level `default:"info" env:"PLAZA_LOG_LEVEL" help:"debug, info, warn or error. Lines of level info are written together, at most a tenth of a second late." placeholder:"LEVEL"`
	LogFormat     string     `default:"text" env:"PLAZA_LOG_FORMAT" help:"text or json." placeholder:"FORMAT"`

	unparsed
}

// Where the back office is served.
const (
	BackOfficeAdmin  = "admin"
	BackOfficePublic = "public"
)

// Whether staff need a second factor.
const (
	SecondFactorRequired = "required"
	SecondFactorOff      = "off"
)

// maxTokenTTL is a limit that every store can represent.
const maxTokenTTL = 10 * 365 * 24 * time.Hour

// Auto is the value of the settings that Choose chooses.
const Auto = "auto"

// Choose replaces auto by the translator, the wallet, the sender and the rule of second factors that it stands for.
func (c *Config) Choose(withDemo bool) {
	for setting, chosen := range map[*string]map[bool]string{
		&c.Translator:   {false: NoTranslator, true: PseudoTranslator},
		&c.Wallet:       {false: NoWallet, true: SandboxWallet},
		&c.SMS:          {false: NoSender, true: SandboxSender},
		&c.SecondFactor: {false: SecondFactorRequired, true: SecondFactorOff},
	} {
		if *setting == Auto {
			*setting = chosen[withDemo]
		}
	}
}

// ErrInvalid marks errors that the caller can correct.
var ErrInvalid = errors.New("wrong settings")

// Check returns the configuration with its missing values filled in, or all problems with the
// settings together. Each of more notes further problems and fills in what else is missing.
func (c Config) Check(more ...func(*Config, Problems)) (Config, error) {
	p := c.unparsed.problems()
	p.Note("PLAZA_ADDR", CheckAddr(c.Addr))
	p.Note("PLAZA_ADMIN_ADDR", CheckAddr(c.AdminAddr))
	c.BackOffice = cmp.Or(c.BackOffice, BackOfficeAdmin)
	p.Note("PLAZA_BACK_OFFICE", OneOf(c.BackOffice, BackOfficeAdmin, BackOfficePublic, "off"))
	c.SecondFactor = cmp.Or(c.SecondFactor, SecondFactorRequired)
	p.Note("PLAZA_STAFF_SECOND_FACTOR", OneOf(c.SecondFactor, Auto, SecondFactorRequired, SecondFactorOff))
	p.Note("PLAZA_DATA_DIR", checkDir(c.DataDir))
	c.DatabaseURL = cmp.Or(c.DatabaseURL, "sqlite:"+filepath.Join(c.DataDir, "plaza.db"))
	p.Note("PLAZA_DATABASE_URL", checkDatabaseURL(c.DatabaseURL))
	if c.DatabaseConnections != 0 {
		p.Note("PLAZA_DATABASE_CONNECTIONS", between(c.DatabaseConnections, 2, 1000, "a number"))
	}
	p.Note("PLAZA_MIGRATE", OneOf(cmp.Or(c.Migrate, "true"), "true", "false"))
	p.Note("PLAZA_DATABASE_WAIT", between(c.DatabaseWait, 0, time.Hour, "a duration"))
	c.DatabaseWait = max(c.DatabaseWait, time.Millisecond) // zero would be the store's default
	p.Note("PLAZA_PUBLIC_URL", checkPublicURL(c.PublicURL))
	if u, err := url.Parse(c.PublicURL); err == nil {
		c.PublicURL = strings.TrimRight(u.String(), "/") // with the scheme in small letters
	}
	p.Note("PLAZA_TOKEN_TTL", CheckTokenTTL(c.TokenTTL))
	c.checkTranslator(p)
	c.checkMedia(p)
	c.checkWallet(p)
	c.checkSMS(p)
	c.MaxRequests = cmp.Or(c.MaxRequests, max(64, 32*runtime.GOMAXPROCS(0)))
	c.MaxConnections = cmp.Or(c.MaxConnections, 10_000) // a Config of a program has no defaults
	p.Note("PLAZA_MAX_REQUESTS", between(c.MaxRequests, 1, 100_000, "a number"))
	p.Note("PLAZA_MAX_CONNECTIONS", between(c.MaxConnections, 1, 1_000_000, "a number"))
	c.checkServer(p, c.unparsed.origins != nil)
	c.checkLimits(p)
	p.Note("PLAZA_LOG_FORMAT", OneOf(c.LogFormat, "text", "json"))
	for _, check := range more {
		check(&c, p)
	}
	return c, c.unparsed.err(p)
}

// DisplayDatabase returns the address of the database for people, without its password.
func (c Config) DisplayDatabase() string {
	if path, embedded := strings.CutPrefix(c.DatabaseURL, "sqlite:"); embedded {
		return path
	}
	u, err := url.Parse(c.DatabaseURL)
	if err != nil {
		return "the database"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// KeepsSchema reports whether only plaza migrate up changes the schema.
func (c Config) KeepsSchema() bool { return c.Migrate == "false" }

// Problems are the errors of wrong settings by their variables, the first one of each.
type Problems map[string]error

// Note keeps the problem of a setting unless it is nil or the setting has one.
func (p Problems) Note(variable string, err error) {
	if err != nil && p[variable] == nil {
		p[variable] = err
	}
}

// require notes a setting that is missing and that the user needs.
func (p Problems) require(variable string, isSet bool, user string) {
	if !isSet {
		p.Note(variable, fmt.Errorf("%s needs one", user))
	}
}

// Variables returns the variables of the wrong settings, sorted.
func (p Problems) Variables() []string { return slices.Sorted(maps.Keys(p)) }

func CheckAddr(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT", addr)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf("%q has no valid port", addr)
	}
	return nil
}

// FromHere returns the address at which this machine reaches a server that listens on the
// address.
func FromHere(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

func checkDir(dir string) error {
	if dir == "" {
		return errors.New("a folder is required")
	}
	return nil
}

const InMemory = "memory:"

// checkDatabaseURL never quotes the URL: it may have a password.
func checkDatabaseURL(value string) error {
	path, embedded := strings.CutPrefix(value, "sqlite:")
	switch {
	case embedded && path == "":
		return errors.New("sqlite: needs the path of a file")
	case strings.HasPrefix(value, "postgres://") || strings.HasPrefix(value, "postgresql://"):
		u, err := url.Parse(value)
		// The rest of a password with such a character would count as a path, and be shown and logged.
		if err != nil || strings.Contains(u.Path, "@") || u.Fragment != "" || u.RawQuery != "" && !strings.Contains(u.RawQuery, "=") {
			return errors.New("is not a valid URL after postgres://; in a password write @ as %40, / as %2F, # as %23, ? as %3F and % as %25")
		}
	case !embedded && value != InMemory:
		return errors.New("must be postgres://…, memory: or sqlite:PATH")
	}
	return nil
}

func checkPublicURL(value string) error {
	u, err := url.Parse(value)
	switch {
	case value == "":
		return nil
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return fmt.Errorf("%q is not an http or https address", value)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("%q must not have a user, query or fragment", value)
	}
	return nil
}

func CheckTokenTTL(ttl time.Duration) error {
	if err := between(ttl, time.Minute, maxTokenTTL, "a duration"); err != nil {
		return fmt.Errorf("%w, like 720h", err)
	}
	return nil
}

func between[N cmp.Ordered](value, least, most N, what string) error {
	if value < least || value > most {
		return fmt.Errorf("%v is not %s from %v to %v", value, what, least, most)
	}
	return nil
}

// OneOf returns an error unless the value is one of the names.
func OneOf(value string, names ...string) error {
	if !slices.Contains(names, value) {
		return fmt.Errorf("%q is not one of %s", value, strings.Join(names, ", "))
	}
	return nil
}

// SplitNames splits a comma-separated list of names.
func SplitNames(list string) []string {
	names := []string{}
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Networks are networks; an address is a network of one.
type Networks []netip.Prefix

// UnmarshalText parses addresses and networks, comma separated.
func (n *Networks) UnmarshalText(text []byte) error {
	*n = nil
	var problems []error
	for _, part := range SplitNames(string(text)) {
		prefix, err := netip.ParsePrefix(part)
		if addr, addrErr := netip.ParseAddr(part); addrErr == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%q is not an address or network", part))
		} else if prefix.Bits() == 0 {
			problems = append(problems, fmt.Errorf("%q has all addresses: each caller could name another's as its own", part))
		}
		*n = append(*n, prefix)
	}
	return errors.Join(problems...)
}

// Origins are web origins, or * for any.
type Origins []string

// UnmarshalText parses origins, comma separated.
func (o *Origins) UnmarshalText(text []byte) error {
	*o = nil
	var problems []error
	for _, origin := range SplitNames(string(text)) {
		if origin != "*" && !isOrigin(origin) {
			problems = append(problems, fmt.Errorf("%q is not an origin like https://app.example, without a path, or *", origin))
		}
		*o = append(*o, origin)
	}
	return errors.Join(problems...)
}

// isOrigin reports whether a browser may send the text as the origin of a page.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Scheme+"://"+u.Host != s ||
		strings.Contains(s, "*") || u.Port() == map[string]string{"https": "443", "http": "80"}[u.Scheme] { // which browsers leave out
		return false
	}
	_, err = strconv.ParseUint(u.Port(), 10, 16)
	return err == nil || u.Port() == "" && !strings.HasSuffix(s, ":")
}
