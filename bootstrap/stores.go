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

// storage is what an App stores its data in.
type storage struct {
	database  *bunstore.Store
	pictures  media.Store
	signing   secret.String // the key with which all servers sign the URLs of pictures
	codes     secret.String // the key with which they hash codes
	temporary string        // the folder of memory:, which closing removes; empty: none
}

// stores returns the ports, which keep accounts within the quotas.
func (s storage) stores(l quota.Limits) Stores { return Stores{s.database.WithQuotas(l), s.pictures} }

func (s storage) close() error {
	return errors.Join(closeMedia(s.pictures), s.database.Close(), os.RemoveAll(s.temporary))
}

// openStorage opens the configured store. It migrates the schema of a database, or with
// PLAZA_MIGRATE=false checks it.
func openStorage(ctx context.Context, c settings.Config, log *slog.Logger, t *traces) (s storage, err error) {
	if c.DatabaseURL == settings.InMemory {
		if s.temporary, err = os.MkdirTemp("", "plaza-memory-"); err != nil {
			return storage{}, fmt.Errorf("%s: %w", settings.InMemory, err)
		}
		c.DatabaseURL, c.Migrate = "sqlite:"+filepath.Join(s.temporary, "plaza.db"), ""
		c.MediaURL = settings.MediaURL{Dir: filepath.Join(s.temporary, "media")}
	}
	if s.database, err = OpenDatabase(ctx, c, log, t.tracer()); err != nil {
		return storage{}, errors.Join(err, os.RemoveAll(s.temporary))
	}
	if err = prepareSchema(ctx, c, s.database, log); err == nil {
		if s.codes, err = s.database.Secret(ctx, codesSecret); err != nil {
			err = fmt.Errorf("read key of codes: %w", err)
		}
	}
	if err == nil {
		s.pictures, s.signing, err = picturesOf(ctx, c, s.database, t)
	}
	if err != nil {
		return storage{}, errors.Join(err, s.close())
	}
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

// CheckPlaces checks the places of events in the database with the same analyser as the servers.
func CheckPlaces(ctx context.Context, database *bunstore.Store, repair bool) iter.Seq2[places.Misplaced, error] {
	return places.New(database.Events, database.EventReader, gazetteer.New()).Check(ctx, repair)
}
