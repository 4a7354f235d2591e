package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plaza/adapters/bunstore"
	"plaza/adapters/httpapi/view"
	"plaza/application/cleanup"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/place"
)

type migrateCommands struct {
	Up     migrateUp     `cmd:"" help:"Bring the schema of the database up to date." example:"plaza migrate up"`
	Status migrateStatus `cmd:"" help:"List the migrations of the schema and when each was applied." example:"plaza migrate status --json"`
}

type migrateUp struct{ actCommand }

// Run appends the record when the schema has its table.
func (c migrateUp) Run(ctx context.Context, s streams) error {
	r := audit.Record{Act: audit.SchemaMigrated, Object: audit.Object{Kind: audit.Database}}
	return c.actingOnDatabase(ctx, s, mayCreate, r, func(ctx context.Context, config settings.Config, database *bunstore.Store,
		log actLog) error {
		applied, err := database.Migrate(ctx)
		for _, name := range applied {
			fmt.Fprintln(s.out, "Applied", name)
		}
		if len(applied) > 0 {
			err = errors.Join(err, log.acted(ctx, "migrate up", "applied", applied))
		}
		if err != nil {
			return err
		}
		return s.printf("The schema of %s is up to date.\n", config.DisplayDatabase())
	})
}

type migrateStatus struct {
	JSON bool `name:"json" help:"Print a JSON array."`
	dataCommand
}

// step is a migration as the command line shows it.
type step struct {
	Name    string             `json:"name"`
	Applied *instant.Timestamp `json:"applied"`
	Unknown bool               `json:"unknown"` // a newer program has applied it
}

// noteOf describes the state of the migration for people.
func noteOf(m bunstore.Migration, newer bool) string {
	switch {
	case m.Applied.IsZero():
		return "missing"
	case m.Unknown && newer:
		return "unknown to this program"
	case m.Unknown:
		return "unknown to this program, which can work with it"
	}
	return ""
}

func (c migrateStatus) Run(ctx context.Context, s streams) error {
	return c.withDatabase(ctx, s, func(ctx context.Context, _ settings.Config, database *bunstore.Store) error {
		migrations, newer := database.Migrations(ctx)
		if newer != nil && !errors.Is(newer, bunstore.ErrNewer) {
			return newer
		}
		err := printList(s, c.JSON, "STEP\tAPPLIED\tNOTE", seqOf(migrations), func(m bunstore.Migration) string {
			return m.Name + "\t" + clock(m.Applied) + "\t" + noteOf(m, newer != nil)
		}, func(m bunstore.Migration) step { return step{m.Name, view.OrNever(m.Applied), m.Unknown} })
		return errors.Join(err, newer)
	})
}

type checkCommand struct {
	Repair   bool `help:"Repair what can be repaired. Files of pictures that no record uses are moved into the trash of their folder or bucket, and removed after a week: say yes, or add --yes."`
	Yes      bool `help:"Remove pictures that no record uses without asking, at most a tenth of all."`
	Removing int  `name:"remove-pictures" help:"Remove up to N pictures that no record uses without asking, also more than a tenth of all." placeholder:"N"`
	JSON     bool `name:"json" help:"Print one JSON object."`
	actCommand
}

// report is the result of a check as JSON.
type report struct {
	OK       bool               `json:"ok"`
	Database string             `json:"database"`
	Looked   []string           `json:"looked_at"`
	Findings []bunstore.Finding `json:"findings"` // filled only for JSON: there may be millions
	found    int
	wrong    int // not repaired
	orphans  []media.Key
}

func (c checkCommand) Run(ctx context.Context, s streams) error {
	if !c.Repair {
		return c.withDatabase(ctx, s, func(ctx context.Context, config settings.Config, database *bunstore.Store) error {
			if err := readyToCheck(ctx, database); err != nil {
				return err
			}
			r, err := c.check(ctx, s, config, database)
			return c.conclude(s, r, err)
		})
	}
	record := audit.Record{Act: audit.Repaired, Object: audit.Object{Kind: audit.Database}}
	return c.actingOnDatabase(ctx, s, mustExist, record, func(ctx context.Context, config settings.Config, database *bunstore.Store,
		log actLog) error {
		if err := readyToCheck(ctx, database); err != nil {
			return err
		}
		r, err := c.check(ctx, s, config, database)
		return c.conclude(s, r, errors.Join(err, log.acted(ctx, "check --repair", "repaired", r.found-r.wrong, "complete", err == nil)))
	})
}

// readyToCheck returns what a server that starts would refuse, too.
func readyToCheck(ctx context.Context, database *bunstore.Store) error {
	if err := database.CheckSchema(ctx); err != nil {
		return err
	}
	return database.Identify(audit.Without(ctx))
}

// check checks everything, and repairs it if the command says so.
func (c checkCommand) check(ctx context.Context, s streams, config settings.Config, database *bunstore.Store) (report, error) {
	r := report{Database: config.DisplayDatabase(), Looked: looksAt(config), Findings: []bunstore.Finding{}}
	err := database.Check(ctx, c.Repair, func(f bunstore.Finding) { c.note(s, &r, f) })
	if err == nil {
		err = c.checkPlaces(ctx, s, database, &r)
	}
	if err == nil {
		err = c.checkPictures(ctx, s, config, database, &r)
	}
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	return r, nil
}

func (c checkCommand) checkPlaces(ctx context.Context, s streams, database *bunstore.Store, r *report) error {
	for e, err := range bootstrap.CheckPlaces(ctx, database, c.Repair) {
		if err != nil {
			return err
		}
		stored, found := "no place", "none"
		if !e.Stored.IsZero() {
			stored = "the place " + placeName(e.Stored)
		}
		if !e.Found.IsZero() {
			found = placeName(e.Found)
		}
		what := fmt.Sprintf("event %d has %s, but its text is about %s", e.Event, stored, found)
		c.note(s, r, bunstore.Finding{What: what, Repaired: e.Repaired})
	}
	return nil
}

// placeName returns the names of the place, the largest area first. A municipality, which is
// its own province, appears once.
func placeName(p place.Place) string {
	return strings.Join(slices.Compact(slices.DeleteFunc([]string{p.Province, p.City, p.District},
		func(name string) bool { return name == "" })), " ")
}

// checkPictures checks the files of pictures. Before it removes any, it tells how many.
func (c checkCommand) checkPictures(ctx context.Context, s streams, config settings.Config, database *bunstore.Store, r *report) error {
	return bootstrap.WithPictures(ctx, config, database, func(k *cleanup.Cleanup) error {
		files, err := k.Check(ctx, func(f cleanup.Finding) {
			if f.Missing == "" {
				r.orphans = append(r.orphans, f.Key)
				return
			}
			c.note(s, r, bunstore.Finding{What: "no file for the picture " + string(f.Key) + " of " + f.Missing})
		})
		if err != nil || len(r.orphans) == 0 {
			return err
		}
		fmt.Fprintf(s.err, "No record uses %d of %s in %s.\n", len(r.orphans), amount(int64(files), "file"), config.DisplayMedia())
		note := func(key media.Key, repaired bool) {
			c.note(s, r, bunstore.Finding{What: "no record uses the picture " + string(key), Repaired: repaired})
		}
		if !c.Repair || !c.Yes && c.Removing == 0 && !says(ctx, s, "Remove them?") {
			for _, key := range r.orphans {
				note(key, false)
			}
			return nil
		}
		err = k.Discard(ctx, r.orphans, files, c.Removing, func(key media.Key) { note(key, true) })
		if errors.Is(err, cleanup.ErrTooMany) {
			err = fmt.Errorf("%w. None was removed. If they are to go, add --remove-pictures %d", err, len(r.orphans))
		}
		return err
	})
}

// says asks on a terminal, and reports whether the answer is yes.
func says(ctx context.Context, s streams, question string) bool {
	if !isTerminal(stdin) {
		return false
	}
	fmt.Fprint(s.err, question+" [y/N] ")
	answer, err := typed(ctx, func() (string, error) { return firstLine(stdin) })
	return err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
}

func (c checkCommand) note(s streams, r *report, f bunstore.Finding) {
	r.found++
	if !f.Repaired {
		r.wrong++
	}
	if c.JSON {
		r.Findings = append(r.Findings, f)
	} else {
		fmt.Fprintln(s.out, map[bool]string{true: "Repaired:", false: "Wrong:"}[f.Repaired], oneLine(f.What))
	}
}

// looksAt returns the names of the checked parts.
func looksAt(c settings.Config) []string {
	parts := []string{
		"publications", "nodes", "demands", "events", "the feed's listings and counts",
		"the counts of comments", "the places of events", "images", "the bytes of pictures", "the files of pictures",
	}
	if strings.HasPrefix(c.DatabaseURL, "sqlite:") {
		return append([]string{"the file", "its references"}, parts...)
	}
	return parts
}

// conclude prints the result, unless the check has failed. It returns an error if problems remain.
func (c checkCommand) conclude(s streams, r report, err error) error {
	if err != nil {
		return err
	}
	r.OK = r.wrong == 0
	if c.JSON {
		err = printJSON(s.out, r)
	} else {
		err = s.printf("Checked %s in %s: found %d wrong, repaired %d.\n",
			strings.Join(r.Looked, ", "), r.Database, r.found, r.found-r.wrong)
	}
	switch {
	case err != nil || r.OK:
		return err
	case c.Repair && len(r.orphans) > 0 && !c.Yes && c.Removing == 0:
		return fmt.Errorf("%d of %d problems were not repaired: pictures are removed with --yes", r.wrong, r.found)
	case c.Repair:
		return fmt.Errorf("%d of %d problems could not be repaired", r.wrong, r.found)
	}
	return errors.New("problems found: plaza check --repair repairs those that can be repaired")
}

// besides returns a sentence about the pictures, which a backup of the database lacks.
func besides(c settings.Config) string {
	if c.MediaURL.Endpoint != "" {
		return "Pictures are in the bucket " + c.MediaURL.Bucket + ": back it up as well."
	}
	return "Pictures are files: copy the folder " + c.MediaDir() + " as well."
}

type backupCommand struct {
	File string `arg:"" help:"File to write. It must not exist."`
	actCommand
}

func (c backupCommand) Run(ctx context.Context, s streams) error {
	r := audit.Record{Act: audit.BackedUp, Object: audit.Object{Kind: audit.Database}}
	return c.actingOnDatabase(ctx, s, mustExist, r, func(ctx context.Context, config settings.Config, database *bunstore.Store,
		log actLog) error {
		if err := database.Backup(ctx, c.File); err != nil {
			return fmt.Errorf("back up: %w", err)
		}
		if err := log.acted(ctx, "backup", "file", c.File); err != nil {
			return fmt.Errorf("%s is written, but no audit record of it: %w", c.File, err)
		}
		if err := bootstrap.WithPictures(ctx, config, database, func(*cleanup.Cleanup) error { return nil }); errors.Is(err, media.ErrForeign) {
			return fmt.Errorf("%s is written, but its pictures are elsewhere: %w", c.File, err)
		}
		return s.printf("Backed up %s to %s. %s\n", config.DisplayDatabase(), c.File, besides(config))
	})
}

type mediaCommands struct {
	Adopt mediaAdopt `cmd:"" help:"Give the pictures of the settings to the database. Servers of another database whose they were refuse to start with them." example:"plaza media adopt" settings:"media"`
}

type mediaAdopt struct{ actCommand }

func (c mediaAdopt) Run(ctx context.Context, s streams) error {
	r := audit.Record{Act: audit.PicturesAdopted, Object: audit.Object{Kind: audit.Database}}
	return c.actingOnDatabase(ctx, s, mustExist, r, func(ctx context.Context, config settings.Config, database *bunstore.Store,
		log actLog) error {
		if err := bootstrap.AdoptPictures(ctx, config, database); err != nil {
			return err
		}
		result := fmt.Sprintf("The pictures in %s belong to %s now.", config.DisplayMedia(), config.DisplayDatabase())
		return log.concludes(ctx, result, "media adopt", "pictures", config.DisplayMedia())
	})
}
