package bunstore

import "plaza/adapters/bunstore/internal/engine"

// statements are the hot reads. Each is one statement of constant text with bound
// parameters, and has no variant built by bun. Only eventPage has a variant for every order
// of events.
//
// SQLite prepares a statement again for each value of a parameter that is a bare LIMIT,
// or that may be compared with the condition of a partial index. Such parameters are
// wrapped in CAST, which prevents this.
type statements struct {
	session      string // $1 hash of the key
	members      string // $1 ids
	categories   string // $1 ids
	translations string // $1 keys, $2 the time
	feedStatements
	eventStatements
	images map[imageFilter]string
}

func newStatements(d engine.Dialect) statements {
	return statements{
		session:         sessionStatement,
		members:         membersStatement(d),
		categories:      categoryTable.Among(d, "id", "$1"),
		translations:    translationsStatement(d),
		feedStatements:  newFeedStatements(d),
		eventStatements: newEventStatements(d),
		images:          imageStatements(d),
	}
}

// stepStatements are the statements of constant text that are not hot reads: the steps
// of transactions, and other reads.
type stepStatements struct {
	eventSteps
	tokenSteps
	listingSteps
	tileSteps
	importSteps
	checkSteps
	howToSteps
	imageSteps
	rateLimitSteps
	quotaSteps
	throttleSteps
	keySteps
	telemetrySteps
}

func newStepStatements(d engine.Dialect) stepStatements {
	return stepStatements{
		eventSteps: newEventSteps(d), tokenSteps: newTokenSteps(d), listingSteps: newListingSteps(d), tileSteps: newTileSteps(),
		importSteps: newImportSteps(d),
		checkSteps:  newCheckSteps(d), howToSteps: newHowToSteps(d), imageSteps: newImageSteps(d),
		rateLimitSteps: newRateLimitSteps(d), quotaSteps: newQuotaSteps(d), throttleSteps: newThrottleSteps(d),
		keySteps:       newKeySteps(d),
		telemetrySteps: newTelemetrySteps(d),
	}
}
