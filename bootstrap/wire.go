//go:build wireinject

package bootstrap

import (
	"log/slog"

	"github.com/google/wire"

	"plaza/adapters/argon2id"
	pages "plaza/adapters/backoffice"
	"plaza/adapters/gazetteer"
	"plaza/adapters/httpapi"
	"plaza/adapters/imaging"
	"plaza/adapters/jsonlines"
	"plaza/adapters/prometheus"
	"plaza/adapters/sanitiser"
	"plaza/adapters/zxcvbn"
	"plaza/application/backoffice"
	"plaza/application/browsing"
	"plaza/application/cleanup"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/importing"
	"plaza/application/moderating"
	"plaza/application/notifications"
	"plaza/application/paying"
	"plaza/application/people"
	"plaza/application/pictures"
	"plaza/application/places"
	"plaza/application/privacy"
	"plaza/application/reading"
	"plaza/application/reconciling"
	"plaza/application/refunding"
	"plaza/application/signin"
	"plaza/application/store"
	"plaza/application/translation"
	"plaza/application/userimages"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/place"
)

// A set for each adapter, with the port that it implements. The store, the files of pictures, the wallet, the translator and
// the sender of SMS depend on the settings, so NewApp opens them and gives them to the injector.
var (
	passwordsByArgon2id = wire.NewSet(newHasher, wire.Bind(new(access.Hasher), new(*argon2id.Hasher)))
	strengthByZxcvbn    = wire.NewSet(wire.Value(zxcvbn.Estimator{}), wire.Bind(new(access.Estimator), new(zxcvbn.Estimator)))
	portraitsByImaging  = wire.NewSet(newPortraits, wire.Bind(new(media.Portraits), new(*imaging.Portraits)))
	picturesByImaging   = wire.NewSet(newProcessor, wire.Bind(new(media.Processor), new(*imaging.Processor)))
	markupBySanitiser   = wire.NewSet(newSanitiser, wire.Bind(new(markup.Sanitiser), new(*sanitiser.Sanitiser)))
	placesByGazetteer   = wire.NewSet(gazetteer.New, wire.Bind(new(place.Analyser), new(*gazetteer.Gazetteer)))
	recordsByJSONLines  = wire.NewSet(wire.Value(jsonlines.Decoder{}), wire.Bind(new(imported.Decoder), new(jsonlines.Decoder)))
	pagesForStaff       = wire.NewSet(newBackOffice, wire.Struct(new(pages.UseCases), "*"))
	restByGin           = wire.NewSet(newHTTPConfig, portraitSource, wire.Struct(new(httpapi.UseCases), "*"), httpapi.New)
)

// A set for each package of use cases, with what it alone needs and the ports of others that it implements, and one of what
// several need.
var (
	sharedSet     = wire.NewSet(settings.WriteLimits, logOf)
	backofficeSet = wire.NewSet(newFailingJobs, describe, translatorBudget, messageBudget, wire.Bind(new(backoffice.Jobs), new(*failingJobs)),
		wire.Struct(new(backoffice.Ports), "*"), backoffice.New)
	browsingSet      = wire.NewSet(browsing.New)
	cleanupSet       = wire.NewSet(cleanup.New)
	diarySet         = wire.NewSet(diaryPorts, diary.New)
	followingSet     = wire.NewSet(following.New)
	importingSet     = wire.NewSet(wire.Struct(new(importing.Ports), "*"), importing.NewImporter)
	moderatingSet    = wire.NewSet(moderating.New)
	notificationsSet = wire.NewSet(notifications.New, notifications.NewStreams)
	payingSet        = wire.NewSet(payingLimits, paying.New)
	peopleSet        = wire.NewSet(people.New)
	picturesSet      = wire.NewSet(pictures.New)
	privacySet       = wire.NewSet(leave, privacy.New)
	readingSet       = wire.NewSet(translate, reading.New)
	reconcilingSet   = wire.NewSet(applyReceipts, reconciling.New)
	refundingSet     = wire.NewSet(refundingLimits, refunding.New)
	signinSet        = wire.NewSet(tokenTTL, joining, secondFactor, signin.New, wire.Bind(new(backoffice.AccountChanges), new(*signin.Signin)))
	translationSet   = wire.NewSet(offer, translation.New)
	userimagesSet    = wire.NewSet(userimages.New)
)

func initialise(c settings.Config, p Parts, log *slog.Logger, opened storage, stores Stores, addresses media.Addresses,
	wallets payment.Gateways, metrics *prometheus.Metrics) (*App, error) {
	wire.Build(
		wire.FieldsOf(new(Parts), "Now", "Hashing", "Translator"),
		wire.FieldsOf(new(Stores), "Ports", "Media"),
		wire.FieldsOf(new(store.Ports), "Accounts", "Directory", "Tokens", "Throttle", "Codes", "Categories", "Subscriptions", "Blocks",
			"Notifications", "Moderation", "Events", "EventReader", "Discussion", "Feed", "Imports", "Publications", "HowTos", "Translations",
			"Images", "Ledger", "Keys", "Deletions", "Room", "PersonalData", "Search", "Audit", "Telemetry"),
		passwordsByArgon2id, strengthByZxcvbn, portraitsByImaging, picturesByImaging, markupBySanitiser, placesByGazetteer, recordsByJSONLines,
		restByGin, pagesForStaff,
		sharedSet, backofficeSet, browsingSet, cleanupSet, diarySet, followingSet, importingSet, moderatingSet, notificationsSet, payingSet,
		peopleSet, picturesSet, privacySet, readingSet, reconcilingSet, refundingSet, signinSet, translationSet, userimagesSet,
		wire.Struct(new(App), "*"),
	)
	return nil, nil
}

// initialisePlaces wires the use cases that check the places of events.
func initialisePlaces(events event.Repository, reader event.Reader) *places.Places {
	wire.Build(placesByGazetteer, places.New)
	return nil
}
