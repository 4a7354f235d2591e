package settings

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// ServerConfig has the time limits of the servers of both addresses, the names of the admin address, and how the server
// stops. A limit that is zero has its default, unless a command line or the environment sets it.
type ServerConfig struct {
	AdminHosts   string        `env:"PLAZA_ADMIN_HOSTS" help:"Names, comma separated, by which the admin address may be called. IP addresses and localhost are always right; a page that leads any other name there gets nothing (default: none)." placeholder:"NAME,..."`
	ReadTimeout  time.Duration `default:"10s" env:"PLAZA_READ_TIMEOUT" help:"How long the head of a request may take to arrive, from 1s to 1m." placeholder:"DURATION"`
	WriteTimeout time.Duration `default:"60s" env:"PLAZA_WRITE_TIMEOUT" help:"How long a request may take from the end of its head to the end of its response, from 30s to 1h; uploads have three minutes." placeholder:"DURATION"`
	IdleTimeout  time.Duration `default:"2m" env:"PLAZA_IDLE_TIMEOUT" help:"How long a connection stays open between requests, from 1s to 1h." placeholder:"DURATION"`
	DrainDelay   time.Duration `default:"0s" env:"PLAZA_DRAIN_DELAY" help:"How long a server that was told to stop goes on serving while /readyz fails, up to 1h." placeholder:"DURATION"`
	DrainTimeout time.Duration `default:"30s" env:"PLAZA_DRAIN_TIMEOUT" help:"How long requests in progress may take after that, from 1s to 1h." placeholder:"DURATION"`
}

// Defaults of the time limits, which the tags of ServerConfig repeat.
const (
	HeaderTimeout = 10 * time.Second
	writeTimeout  = 60 * time.Second
	IdleTimeout   = 2 * time.Minute
	DrainTimeout  = 30 * time.Second
)

// MinWriteTimeout is the least PLAZA_WRITE_TIMEOUT: work on a request may take 20 seconds, and the response needs time
// as well.
const MinWriteTimeout = 30 * time.Second

// checkServer notes wrong time limits. It first fills in the missing ones if a program, and not the
// parser, made the configuration.
func (c *ServerConfig) checkServer(p Problems, isParsed bool) {
	if !isParsed {
		c.ReadTimeout = cmp.Or(c.ReadTimeout, HeaderTimeout)
		c.WriteTimeout = cmp.Or(c.WriteTimeout, writeTimeout)
		c.IdleTimeout = cmp.Or(c.IdleTimeout, IdleTimeout)
		c.DrainTimeout = cmp.Or(c.DrainTimeout, DrainTimeout)
	}
	for _, name := range SplitNames(c.AdminHosts) {
		if strings.ContainsAny(name, "/:*@ ") {
			p.Note("PLAZA_ADMIN_HOSTS", fmt.Errorf("%q is not the name of a host, without a port", name))
		}
	}
	p.Note("PLAZA_READ_TIMEOUT", between(c.ReadTimeout, time.Second, time.Minute, "a duration"))
	p.Note("PLAZA_WRITE_TIMEOUT", between(c.WriteTimeout, MinWriteTimeout, time.Hour, "a duration"))
	p.Note("PLAZA_IDLE_TIMEOUT", between(c.IdleTimeout, time.Second, time.Hour, "a duration"))
	p.Note("PLAZA_DRAIN_DELAY", between(c.DrainDelay, 0, time.Hour, "a duration"))
	p.Note("PLAZA_DRAIN_TIMEOUT", between(c.DrainTimeout, time.Second, time.Hour, "a duration"))
}

// SandboxConfig has the settings of a wallet sandbox by itself.
type SandboxConfig struct {
	DataDir  string     `default:"var" env:"PLAZA_DATA_DIR" help:"Folder of the keys that the sandbox shares with the server. Keys are created if they are missing." placeholder:"DIR"`
	LogLevel slog.Level `default:"info" env:"PLAZA_LOG_LEVEL" help:"debug, info, warn or error." placeholder:"LEVEL"`
	MerchantConfig
	unparsed
}

// Check returns the configuration of a server with these settings, or all problems with them together.
func (c SandboxConfig) Check() (Config, error) {
	config := Config{DataDir: c.DataDir, Wallet: SandboxWallet, MerchantConfig: c.MerchantConfig, LogLevel: c.LogLevel, unparsed: c.unparsed}
	config.useDemoMerchant()
	p := c.problems()
	p.Note("PLAZA_DATA_DIR", checkDir(c.DataDir))
	config.checkSandboxAddr(p)
	return config, c.err(p)
}
