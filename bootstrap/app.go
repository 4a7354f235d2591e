package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"plaza/adapters/argon2id"
	"plaza/adapters/bunstore"
	"plaza/application/browsing"
	"plaza/application/cleanup"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/importing"
	"plaza/application/paying"
	"plaza/application/people"
	"plaza/application/reading"
	"plaza/application/signin"
	"plaza/application/userimages"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/place"
	"plaza/domain/publication"
)

// App is Plaza put together, not yet listening.
type App struct {
	Config    Config
	Log       *slog.Logger
	Handler   http.Handler // the REST interface
	Stores    Stores
	Signin    *signin.Signin
	People    *people.People
	Diary     *diary.Diary
	Following *following.Following
	Browsing  *browsing.Browsing
	Reading   *reading.Reading
	Curating  *userimages.UserImages
	Importing *importing.Importing
	Importer  *importing.Importer
	Paying    *paying.Paying
	Keeping   *cleanup.Cleanup

	storage   storage
	gateway   payment.Gateway
	hasher    access.Hasher
	strength  access.Estimator
	places    place.Analyser
	sanitiser markup.Sanitiser
	studio    media.Processor
}

// Close waits for what goes on behind requests, and closes the store. Nothing may
// be asked of the App any more.
func (a *App) Close() error {
	a.Reading.Close()
	return a.storage.close()
}

// Database is the database behind the App; nil when everything is in memory.
func (a *App) Database() *bunstore.Store { return a.storage.database }

// hashing are the parameters of new passwords; tests put cheaper ones in their place.
var hashing = argon2id.OWASP

// Parts are what a test replaces.
type Parts struct {
	Now        func() time.Time       // nil: the system's clock
	Hashing    *argon2id.Params       // nil: those of OWASP
	Translator publication.Translator // nil: that of the configuration
	Gateway    payment.Gateway        // nil: that of the configuration
}

// NewApp opens the store that the configuration names and puts Plaza together over
// it.
func NewApp(ctx context.Context, c Config, log *slog.Logger, p Parts) (*App, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Hashing == nil {
		p.Hashing = &hashing
	}
	var err error
	if p.Translator == nil {
		if p.Translator, err = newTranslator(c.Translator); err != nil {
			return nil, err
		}
	}
	if p.Gateway == nil {
		if p.Gateway, err = newGateway(c); err != nil {
			return nil, err
		}
	}
	kept, err := openStorage(ctx, c, log)
	if err != nil {
		return nil, err
	}
	addresses := media.NewAddresses(c.PublicURL, kept.signing)
	app, err := initialise(c, log, kept, kept.stores, addresses, p.Translator, p.Gateway, p.Now, *p.Hashing)
	if err != nil {
		return nil, errors.Join(err, kept.close())
	}
	return app, nil
}

// LoadDemo writes the demo data, unless it is there. Of several servers that try
// at once one does, and the others wait for it.
func (a *App) LoadDemo(ctx context.Context) error {
	database := a.Database()
	if database == nil {
		return a.writeDemo(ctx)
	}
	const chore = "demo data"
	pauses := time.NewTicker(demoPause)
	defer pauses.Stop()
	for deadline := time.Now().Add(demoPatience); ; {
		first, done, err := database.Begin(ctx, chore)
		switch {
		case err != nil:
			return err
		case done:
			return demo.CheckNotRemoved(ctx, a.Stores.Accounts)
		case first:
			if err := a.writeDemo(ctx); err != nil {
				return err
			}
			return database.Finish(ctx, chore)
		case time.Now().After(deadline):
			return errors.New("the loading of the demo data was interrupted; what is there of it stays incomplete: " +
				"begin again with an empty database, or serve without --demo")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pauses.C:
		}
	}
}

// How long a server waits for another one that loads the demo data, and how often
// it looks.
const (
	demoPatience = 20 * time.Second
	demoPause    = 200 * time.Millisecond
)

func (a *App) writeDemo(ctx context.Context) error { return demo.Load(ctx, a.demoPorts()) }

func (a *App) demoPorts() demo.Ports {
	return demo.Ports{
		Accounts: a.Stores.Accounts, Tokens: a.Stores.Tokens, Throttle: a.Stores.Throttle, Hasher: a.hasher,
		Strength: a.strength,
		Importer: a.Importer, Categories: a.Stores.Categories, Subscriptions: a.Stores.Subscriptions,
		Diary:  diaryPorts(a.Stores, a.places, a.sanitiser, a.studio),
		Images: a.Stores.Images, Ledger: a.Stores.Ledger,
	}
}
