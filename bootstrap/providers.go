package bootstrap

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"

	"plaza/adapters/argon2id"
	"plaza/adapters/httpapi"
	"plaza/adapters/httpapi/reference"
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/imaging"
	"plaza/adapters/prometheus"
	"plaza/adapters/sanitiser"
	"plaza/application/backoffice"
	"plaza/application/diary"
	"plaza/application/people"
	"plaza/application/privacy"
	"plaza/application/reading"
	"plaza/application/signin"
	"plaza/application/translation"
	"plaza/bootstrap/demo"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/place"
	"plaza/domain/verification"
)

func tokenTTL(c settings.Config) signin.TokenTTL { return signin.TokenTTL(c.TokenTTL) }

// hashQueue is how many hashes that no login asks for may wait, like those of new accounts.
const hashQueue = 32

func newHasher(p *argon2id.Params) *argon2id.Hasher {
	return argon2id.New(*p, signin.HashesAtOnce(), hashQueue)
}

func newPortraits(c settings.Config) *imaging.Portraits { return imaging.NewPortraits(c.PublicURL) }

// portraitSource returns the function that draws the portraits that newPortraits links to.
func portraitSource() httpapi.PortraitSource {
	return func(name string) ([]byte, bool) {
		seed, size, known := imaging.ParsePortrait(name)
		if !known {
			return nil, false
		}
		return imaging.Draw(seed, size), true
	}
}

// newProcessor returns a processor that uses all cores.
func newProcessor() *imaging.Processor { return imaging.NewProcessor(runtime.GOMAXPROCS(0)) }

// newSanitiser returns a sanitiser that keeps only public pictures in members' HTML.
func newSanitiser(c settings.Config) *sanitiser.Sanitiser {
	return sanitiser.New(showable(c)...)
}

func newHTTPConfig(c settings.Config, p Parts, log *slog.Logger, m *prometheus.Metrics) (httpapi.Config, error) {
	config := httpapi.Config{Version: ThisBuild().String(), Config: transport.Config{
		TrustedProxies: c.TrustedProxies, Origins: c.CORSOrigins, MaxRequests: c.MaxRequests,
		AddressLimit: c.InForce(c.LimitAddress), Now: p.Now, Log: log, Tracer: p.traces.tracer(), HasDemo: p.OffersDemo,
		Metrics: transport.Metrics{Begun: m.RequestBegun, Ended: m.RequestEnded, Limited: m.LimitHit},
	}}
	if public, err := url.Parse(c.PublicURL); err == nil {
		config.BasePath = public.EscapedPath()
	}
	config.Reference.MayJoin = p.Sender != nil && c.SignUp != settings.SignUpClosed
	if !p.OffersDemo {
		return config, nil
	}
	if c.UsesSandbox() {
		config.Reference.Sandbox = c.WalletURL + "/"
	}
	if c.KeepsMessages() {
		config.Reference.Messages = c.SMSURL
	}
	logins, err := demo.Logins()
	for _, l := range logins {
		config.Reference.People = append(config.Reference.People, reference.Person(l))
	}
	return config, err
}

// logOf returns a function that returns the logger of a request, with its ID. Outside of a
// request it returns log.
func logOf(log *slog.Logger) func(context.Context) *slog.Logger {
	return func(ctx context.Context) *slog.Logger { return transport.LoggerOr(ctx, log) }
}

func translate(t *translation.Translation) reading.Translate { return t.Translate }

func describe(p *people.People) backoffice.Describe { return p.Describe }

func translatorBudget(t *translation.Translation) backoffice.TranslatorBudget { return t.Budget }

func diaryPorts(s Stores, addresses media.Addresses, places place.Analyser, clean markup.Sanitiser, processor media.Processor) diary.Ports {
	return diary.Ports{
		Events: s.Events, Reader: s.EventReader, Discussion: s.Discussion, Related: s.Related,
		Categories: s.Categories, Directory: s.Directory,
		Places: places, Sanitiser: clean, Pictures: s.Media, Addresses: addresses, Deletions: s.Deletions, Processor: processor, Room: s.Room,
		Keys: s.Keys,
	}
}

// codesSecret is the name of the key of codes' hashes.
const codesSecret = "verification codes"

// joining returns what codes and signing up need.
func joining(c settings.Config, p Parts, opened storage, codes verification.Store) (signin.Joining, error) {
	key, err := verification.NewKey(opened.codes)
	if err != nil {
		return signin.Joining{}, fmt.Errorf("key of codes: %w", err)
	}
	return signin.Joining{
		Codes: codes, Sender: p.Sender, Key: key, Budget: messageBudget(c), Host: c.SMSHost, IsClosed: c.SignUp == settings.SignUpClosed,
		Notifies: notifies(c),
	}, nil
}

// secondFactor returns whether staff need a second factor, and the key of its secrets, which is made of that of codes.
func secondFactor(c settings.Config, opened storage) signin.SecondFactor {
	return signin.SecondFactor{IsRequired: c.SecondFactor != settings.SecondFactorOff, Key: access.NewFactorKey(opened.codes)}
}

// leave returns how a person confirms the erasure of their account.
func leave(s *signin.Signin) privacy.Leave { return s.Leave }
