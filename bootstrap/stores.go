package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"go.opentelemetry.io/otel/trace"

	"plaza/adapters/bunstore"
	"plaza/adapters/gazetteer"
	"plaza/application/places"
	"plaza/application/store"
	"plaza/bootstrap/settings"
	"plaza/domain/audit"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/secret"
)

// Stores are the ports of a store, and the pictures that it has the records of.
type Stores struct {
	store.Ports
	Media media.Store
}

// storage has the store ports within given quotas, the key with which all servers sign the URLs
// of pictures, that with which they hash codes, and the database.
type storage struct {
	stores   func(quota.Limits) Stores
	signing  secret.String
	codes    secret.String
	database *bunstore.Store
	close    func() error
}

// openStorage opens the configured store. It migrates the schema of a database, or with
// PLAZA_MIGRATE=false checks it. What memory: keeps is in a temporary folder, which closing removes.
func openStorage(ctx context.Context, c settings.Config, log *slog.Logger, t *traces) (s storage, err error) {
	temporary := "" // nothing is there to remove
	if c.DatabaseURL == settings.InMemory {
		if temporary, err = os.MkdirTemp("", "plaza-"); err != nil {
			return storage{}, fmt.Errorf("%s: %w", settings.InMemory, err)
		}
		c.DatabaseURL, c.Migrate = "sqlite:"+filepath.Join(temporary, "plaza.db"), ""
		c.MediaURL = settings.MediaURL{Dir: filepath.Join(temporary, "media")}
	}
	database, err := OpenDatabase(ctx, c, log, t.tracer())
	if err == nil {
		if s, err = databaseStorage(ctx, c, database, log, t); err != nil {
			err = errors.Join(err, database.Close())
		}
	}
	if err != nil {
		return storage{}, errors.Join(err, os.RemoveAll(temporary))
	}
	closeStorage := s.close
	s.close = func() error { return errors.Join(closeStorage(), os.RemoveAll(temporary)) }
	return s, nil
}

// OpenDatabase connects to the database without changing its schema. The tracer may be nil.
func OpenDatabase(ctx context.Context, c settings.Config, log *slog.Logger, tracer trace.Tracer) (*bunstore.Store, error) {
	s, err := bunstore.Open(ctx, bunstore.Options{
		URL: c.DatabaseURL, Uncached: c.DatabasePooler, Connections: c.DatabaseConnections, Patience: c.DatabaseWait,
		Log: log, Tracer: tracer,
	})
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%w. PLAZA_DATA_DIR, or PLAZA_DATABASE_URL, must name a folder that the user who runs plaza may write", err)
	}
	return s, err
}

// prepareSchema applies missing migrations. With PLAZA_MIGRATE=false it fails if some are missing.
func prepareSchema(ctx context.Context, c settings.Config, s *bunstore.Store, log *slog.Logger) error {
	if c.KeepsSchema() {
		if err := s.CheckSchema(ctx); err != nil {
			return fmt.Errorf("PLAZA_MIGRATE is false: %w", err)
		}
		return s.Identify(ctx)
	}
	applied, err := s.Migrate(ctx)
	if len(applied) > 0 {
		log.Info("schema migrated", "applied", applied)
	}
	if err != nil {
		return fmt.Errorf("migrate schema: %w", err)
	}
	return nil
}

// signingSecret is the name of the key that signs the URLs of pictures.
const signingSecret = "media addresses"

// picturesOf opens the store of pictures of a database, and returns the key that signs their URLs.
func picturesOf(ctx context.Context, c settings.Config, s *bunstore.Store, t *traces) (media.Store, secret.String, error) {
	signing, err := s.Secret(audit.Without(ctx), signingSecret) // the first call makes it, also of a caller that only reads
	if err != nil {
		return nil, secret.String{}, fmt.Errorf("read signing key of pictures: %w", err)
	}
	pictures, err := openMedia(c, t, signing)
	return pictures, signing, err
}

func databaseStorage(ctx context.Context, c settings.Config, s *bunstore.Store, log *slog.Logger, t *traces) (storage, error) {
	if err := prepareSchema(ctx, c, s, log); err != nil {
		return storage{}, err
	}
	codes, err := s.Secret(ctx, codesSecret)
	if err != nil {
		return storage{}, fmt.Errorf("read key of codes: %w", err)
	}
	pictures, signing, err := picturesOf(ctx, c, s, t)
	if err != nil {
		return storage{}, err
	}
	return storage{
		stores:   func(l quota.Limits) Stores { return Stores{s.WithQuotas(l), pictures} },
		signing:  signing,
		codes:    codes,
		database: s,
		close:    func() error { return errors.Join(closeMedia(pictures), s.Close()) },
	}, nil
}

// CheckPlaces checks the places of events in the database with the same analyser as the servers.
func CheckPlaces(ctx context.Context, database *bunstore.Store, repair bool) iter.Seq2[places.Misplaced, error] {
	return places.New(database.Events, database.EventReader, gazetteer.New()).Check(ctx, repair)
}
