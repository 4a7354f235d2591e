package bootstrap

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"plaza/adapters/bunstore"
)

// ReplicaConfig has the settings of replicas of the database.
type ReplicaConfig struct {
	DatabaseReplicaURLs DatabaseURLs  `name:"database-replica-urls" env:"PLAZA_DATABASE_REPLICA_URLS" secret:"" help:"Streaming replicas of the Postgres, postgres://…, separated by spaces or commas: they answer lists that may be a moment old (default: none)." placeholder:"URL,..."` // may hold passwords
	DatabaseReplicaLag  time.Duration `default:"5s" env:"PLAZA_DATABASE_REPLICA_LAG" help:"How old what a replica shows may be; one that lags further behind is not used." placeholder:"DURATION"`
}

// DatabaseURLs are URLs of databases. They may have passwords.
type DatabaseURLs []string

// UnmarshalText parses URLs that are separated by spaces or commas. A comma inside of a URL
// separates its hosts.
func (u *DatabaseURLs) UnmarshalText(text []byte) error {
	for _, part := range strings.Fields(strings.ReplaceAll(string(text), ",postgres", " postgres")) {
		if part = strings.Trim(part, ","); part != "" {
			*u = append(*u, part)
		}
	}
	return nil
}

// String returns the URLs without secrets.
func (u DatabaseURLs) String() string {
	shown := make([]string, len(u))
	for i, one := range u {
		shown[i] = withoutSecrets(one)
	}
	return strings.Join(shown, " ")
}

// checkReplicas notes wrong settings of replicas. A Config of a program has no defaults.
func (c *ReplicaConfig) checkReplicas(p problems, databaseURL string) {
	c.DatabaseReplicaLag = cmp.Or(c.DatabaseReplicaLag, bunstore.DefaultMaxLag)
	p.note("PLAZA_DATABASE_REPLICA_LAG", between(c.DatabaseReplicaLag, time.Second, time.Minute, "a duration"))
	for i, one := range c.DatabaseReplicaURLs {
		if !isPostgres(one) {
			p.note("PLAZA_DATABASE_REPLICA_URLS", fmt.Errorf("number %d must be postgres://…", i+1))
		}
		p.note("PLAZA_DATABASE_REPLICA_URLS", checkDatabaseURL(one))
	}
	if len(c.DatabaseReplicaURLs) > 0 && !isPostgres(databaseURL) {
		p.note("PLAZA_DATABASE_REPLICA_URLS", errors.New("only a Postgres has replicas, and PLAZA_DATABASE_URL is none"))
	}
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}
