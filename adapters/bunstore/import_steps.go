package bunstore

import (
	"plaza/domain/feed"
	"plaza/domain/imported"
)

// importSteps are the statements of imports: what they read, and what they write.
type importSteps struct {
	// Stored state that a batch refers to.
	userIDs    string // $1 sources
	accounts   string // $1 sources
	holders    string // $1 phones
	categories string // $1 ids
	tree       string
	bundles    string               // $1 ids
	records    map[feed.Kind]string // $1 ids
	howTos     string               // $1 categories, $2 sources of robots
	news       string               // $1 sources
	inFile     string               // $1 file, $2 first number, $3 last number
	ofRecords  string               // $1 sources

	// Publications affected by changed bundles.
	publicationsOf string // $1 bundles
	visibleBundles string // $1 bundles, $2 excluded publications
	translations   string // $1 bundles

	// Changes of stored rows.
	updateUser     string // $1 source, then the columns
	adopt          string // $1 id, $2 source, $3 firstname, $4 lastname
	updateCategory string
	updateBundle   string
	updateRecord   map[feed.Kind]string
	updateHowTo    string
	updateNews     string

	deleteAbandoned string   // $1 file, $2 numbers
	updateLine      string   // $1 id, $2 kind, $3 source, $4 raw
	deleteLines     string   // $1 ids
	saveProgress    string   // $1 file, $2 progress
	loadProgress    string   // $1 file
	waiting         string   // $1 file, $2 after, $3 lines, $4 bytes
	finish          []string // $1 file
	complete        string   // $1 began, $2 ended
	insertCover     string   // $1 digest, $2 key, $3 width, $4 height
	cover           string   // $1 digest

	known map[imported.Kind]string // $1 ids
}

func newImportSteps(d dialect) importSteps {
	accounts := "SELECT id, " + accountColumns.list() + " FROM users WHERE "
	s := importSteps{
		userIDs:    "SELECT source, id FROM users WHERE " + d.among("source", "$1"),
		accounts:   accounts + d.among("source", "$1"),
		holders:    accounts + d.among("phone", "$1"),
		categories: categoryTable.among(d, "id", "$1"),
		tree:       "SELECT " + categoryTable.list() + " FROM categories",
		bundles:    bundleTable.among(d, "id", "$1"),
		howTos: "SELECT u.source, " + howToTable.of("h") + " FROM howtos h JOIN users u ON u.id = h.robot_id WHERE " +
			d.among("h.category", "$1") + " AND " + d.among("u.source", "$2"),
		news:      newsTable.among(d, "source", "$1"),
		inFile:    "SELECT id, file, number, kind, source FROM import_lines WHERE file = $1 AND number BETWEEN $2 AND $3",
		ofRecords: "SELECT id, file, number, kind, source FROM import_lines WHERE " + d.among("source", "$1"),

		publicationsOf: publicationTable.among(d, "bundle_id", "$1"),
		visibleBundles: "SELECT DISTINCT bundle_id FROM publications WHERE " + d.among("bundle_id", "$1") +
			" AND published AND NOT deleted AND NOT (" + d.among("id", "$2") + ")",
		translations: publicationTable.among(d, "first_original_id", "$1") + " AND published AND NOT deleted",

		updateUser:     "UPDATE users SET " + memberColumns.set(2) + " WHERE source = $1",
		adopt:          "UPDATE users SET source = $2, adopted = true, firstname = $3, lastname = $4 WHERE id = $1",
		updateCategory: categoryTable.update(", version = version + 1"),
		updateBundle:   bundleTable.update(""), updateHowTo: howToTable.update(""), updateNews: newsTable.update(""),
		records: map[feed.Kind]string{}, updateRecord: map[feed.Kind]string{},

		deleteAbandoned: "DELETE FROM import_lines WHERE file = $1 AND " + d.among("number", "$2"),
		updateLine:      "UPDATE import_lines SET kind = $2, source = $3, raw = $4 WHERE id = $1 AND (kind <> $2 OR source <> $3 OR raw <> $4)",
		deleteLines:     "DELETE FROM import_lines WHERE " + d.among("id", "$1"),
		saveProgress:    "INSERT INTO imports (file, progress) VALUES ($1, $2) ON CONFLICT (file) DO UPDATE SET progress = EXCLUDED.progress",
		loadProgress:    "SELECT progress FROM imports WHERE file = $1",
		waiting: `SELECT number, raw FROM (
			SELECT number, raw, SUM(length(raw)) OVER (ORDER BY number) - length(raw) AS before FROM import_lines
			WHERE file = $1 AND number > $2 ORDER BY number LIMIT CAST($3 AS bigint)) l
			WHERE before < CAST($4 AS bigint) ORDER BY number`,
		finish: []string{"DELETE FROM imports WHERE file = $1", "DELETE FROM import_lines WHERE file = $1"},
		complete: "INSERT INTO import_completion AS c (id, began, ended) VALUES (1, $1, $2)" +
			" ON CONFLICT (id) DO UPDATE SET began = EXCLUDED.began, ended = EXCLUDED.ended WHERE c.ended < EXCLUDED.ended",
		insertCover: "INSERT INTO import_covers (digest, picture) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
		cover:       "SELECT picture FROM import_covers WHERE digest = $1",
	}
	for kind, t := range recordTables {
		s.records[kind], s.updateRecord[kind] = t.among(d, "id", "$1"), t.update("")
	}
	s.known = knownStatements(d)
	return s
}

func knownStatements(d dialect) map[imported.Kind]string {
	known := map[imported.Kind]string{
		imported.User: "SELECT source FROM users WHERE " + d.among("source", "$1"),
		imported.News: "SELECT source FROM news WHERE " + d.among("source", "$1"),
	}
	for kind, table := range map[imported.Kind]string{
		imported.Category: categoryTable.name, imported.Bundle: bundleTable.name,
		imported.Publication: publicationTable.name, imported.Node: nodeTable.name, imported.Demand: demandTable.name,
	} {
		known[kind] = "SELECT CAST(id AS text) FROM " + table + " WHERE " + d.among("id", "$1")
	}
	return known
}
