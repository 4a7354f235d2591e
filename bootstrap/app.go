// Package bootstrap puts Plaza together: it wires the ports to their adapters as the
// settings say, and starts and stops servers.
//
// It and the commands are the only packages that import all others. It only decides which adapter implements
// which port, and in which order components start. They stop in the reverse order.
package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"plaza/adapters/argon2id"
	"plaza/adapters/bunstore"
	"plaza/adapters/httpapi"
	"plaza/adapters/prometheus"
	"plaza/application/cleanup"
	"plaza/application/importing"
	"plaza/application/reconciling"
	"plaza/application/translation"
	"plaza/bootstrap/demo"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/localisation"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/place"
	"plaza/domain/quota"
	"plaza/domain/verification"
)

// App is Plaza with all ports wired, not yet listening.
type App struct {
	httpapi.UseCases
	Config      settings.Config
	Log         *slog.Logger
	Handler     http.Handler // the REST interface
	Stores      Stores
	Translation *translation.Translation
	Importer    *importing.Importer
	Reconciling *reconciling.Reconciling
	Cleanup     *cleanup.Cleanup
	Metrics     *prometheus.Metrics

	backOffice backOffice
	storage    storage
	now        func() time.Time
	failing    *failingJobs
	gateways   payment.Gateways
	hasher     access.Hasher
	strength   access.Estimator
	places     place.Analyser
	sanitiser  markup.Sanitiser
	processor  media.Processor

	// untried has why pictures could not be stored when that was tried last; nil: it was not tried.
	untried atomic.Pointer[error] `wire:"-"`
}

// Close waits for background work and closes the store. The App must not be used afterwards.
func (a *App) Close() error {
	a.Signin.Close()
	a.Signin.Settle()
	a.Translation.Close()
	return a.storage.close()
}

// Database returns the database of the App.
func (a *App) Database() *bunstore.Store { return a.storage.database }

// hashing has the parameters for new password hashes. Tests replace them with cheaper ones.
var hashing = argon2id.OWASP

// Parts are the parts of an App beside its configuration. Zero ones have their defaults.
type Parts struct {
	Now        func() time.Time        // nil: time.Now
	Hashing    *argon2id.Params        // nil: argon2id.OWASP
	Translator localisation.Translator // nil: that of the configuration
	Gateway    payment.Gateway         // nil: those of the configuration
	Sender     verification.Sender     // nil: that of the configuration, which may be none
	OffersDemo bool                    // whether the reference page offers to log in as people of the demo data

	traces *traces    // nil: off
	lines  *logBuffer // of a server
}

// NewApp opens the configured store and wires Plaza over it.
func NewApp(ctx context.Context, c settings.Config, log *slog.Logger, p Parts) (*App, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Hashing == nil {
		p.Hashing = &hashing
	}
	var err error
	if p.Translator == nil {
		if p.Translator, err = newTranslator(c, p.traces); err != nil {
			return nil, err
		}
	}
	if p.Sender == nil {
		if p.Sender, err = NewSender(c, p.traces); err != nil {
			return nil, err
		}
	}
	gateways := payment.Gateways{Current: p.Gateway}
	if p.Gateway == nil {
		if gateways, err = newGateways(c, p.traces); err != nil {
			return nil, err
		}
	}
	metrics := prometheus.New()
	storage, err := openStorage(ctx, c, log, p.traces)
	if err != nil {
		return nil, err
	}
	addresses := media.NewAddresses(c.PublicURL, storage.signing)
	app, err := initialise(c, p, log, storage, storage.stores(c.Quotas()), addresses, metrics.Gateways(gateways), metrics)
	if err != nil {
		return nil, errors.Join(err, storage.close())
	}
	if c.BackOffice == settings.BackOfficePublic {
		app.Handler = app.backOffice.beside(app.Handler)
	}
	app.registerMetrics(gateways, p)
	return app, nil
}

// LoadDemo writes the demo data, unless it is loaded already. If several servers try at the
// same time, one writes it and the others wait.
//
// It refuses a store that has other accounts, unless it is to load the demo into an existing one, and pictures of another
// database.
func (a *App) LoadDemo(ctx context.Context, intoExisting bool) error {
	if err := a.PairPictures(ctx); err != nil {
		return err
	}
	if !intoExisting {
		if err := demo.CheckNoOthers(ctx, a.Stores.Accounts, a.Stores.Directory); err != nil {
			return err
		}
	}
	if err := demo.Check(ctx, a.Stores.Accounts, a.Stores.Directory); err != nil { // before the database remembers a beginning
		return err
	}
	database := a.Database()
	const task = "demo data"
	ticker := time.NewTicker(demoPollInterval)
	defer ticker.Stop()
	for deadline := time.Now().Add(demoMaxWait); ; {
		first, done, err := database.Begin(ctx, task)
		switch {
		case err != nil:
			return err
		case done:
			return nil
		case first:
			if err := a.writeDemo(ctx); err != nil {
				return err
			}
			return database.Finish(ctx, task)
		case time.Now().After(deadline):
			return errors.New("loading of the demo data was interrupted and stays incomplete: " +
				"start with an empty database, or serve without --demo")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// How long a server waits for another one that loads the demo data, and how often it checks.
const (
	demoMaxWait      = 20 * time.Second
	demoPollInterval = 200 * time.Millisecond
)

func (a *App) writeDemo(ctx context.Context) error { return demo.Load(ctx, a.demoPorts()) }

// RemoveDemo removes the people of the demo data. It returns what it removed also if it fails.
func (a *App) RemoveDemo(ctx context.Context) (demo.Removed, error) {
	return demo.Remove(ctx, a.demoPorts(), time.Now())
}

// demoPorts keep no quotas.
func (a *App) demoPorts() demo.Ports {
	s := a.storage.stores(quota.Limits{})
	return demo.Ports{
		Ports: s.Ports, Hasher: a.hasher, Strength: a.strength, Importer: a.Importer,
		Diary: diaryPorts(s, media.NewAddresses(a.Config.PublicURL, a.storage.signing), a.places, a.sanitiser, a.processor),
	}
}
