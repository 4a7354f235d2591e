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

// One set per adapter, and one for the use cases. To replace an adapter, write a set for it
// and name the set in the injectors.
var (
	passwordsByArgon2id = wire.NewSet(newHasher, wire.Bind(new(access.Hasher), new(*argon2id.Hasher)))
	strengthByZxcvbn    = wire.NewSet(wire.Value(zxcvbn.Estimator{}), wire.Bind(new(access.Estimator), new(zxcvbn.Estimator)))
	picturesByImaging   = wire.NewSet(newPortraits, wire.Bind(new(media.Portraits), new(*imaging.Portraits)),
		newProcessor, wire.Bind(new(media.Processor), new(*imaging.Processor)))
	markupBySanitiser  = wire.NewSet(newSanitiser, wire.Bind(new(markup.Sanitiser), new(*sanitiser.Sanitiser)))
	placesByGazetteer  = wire.NewSet(gazetteer.New, wire.Bind(new(place.Analyser), new(*gazetteer.Gazetteer)))
	recordsByJSONLines = wire.NewSet(wire.Value(jsonlines.Decoder{}), wire.Bind(new(imported.Decoder), new(jsonlines.Decoder)))
	useCases           = wire.NewSet(tokenTTL, signin.New, people.New, joining, leave, privacy.New, following.New, notifications.New, moderating.New, diaryPorts, diary.New,
		browsing.New, logOf, offer, settings.WriteLimits, translation.New, translate, reading.New, userimages.New, pictures.New, importing.NewHowToLists, messageBudget, newFailingJobs, wire.Bind(new(backoffice.Jobs), new(*failingJobs)), wire.Bind(new(backoffice.AccountChanges), new(*signin.Signin)), describe, translatorBudget, wire.Struct(new(backoffice.Ports), "*"), backoffice.New, payingLimits, paying.New, refundingLimits, refunding.New, applyReceipts, reconciling.New,
		cleanup.New,
		wire.Struct(new(importing.Ports), "*"), importing.NewImporter)
	pagesForStaff = wire.NewSet(newBackOffice, wire.Struct(new(pages.UseCases), "*"))
	restByGin     = wire.NewSet(newHTTPConfig, httpapi.New, wire.Struct(new(httpapi.UseCases), "*"),
		portraitSource)
)

func initialise(c settings.Config, p Parts, log *slog.Logger, opened storage, stores Stores, addresses media.Addresses,
	wallets payment.Gateways, metrics *prometheus.Metrics) (*App, error) {
	wire.Build(
		wire.FieldsOf(new(Parts), "Now", "Hashing", "Translator"),
		wire.FieldsOf(new(Stores), "Ports", "Media"),
		wire.FieldsOf(new(store.Ports), "Accounts", "Directory", "Tokens", "Throttle", "Codes", "Categories", "Subscriptions", "Blocks", "Notifications", "Moderation", "Discussion",
			"Feed", "Imports", "Publications", "HowTos", "Translations", "Images", "Ledger", "Keys", "Deletions", "Room", "PersonalData", "Audit", "Telemetry"),
		passwordsByArgon2id, strengthByZxcvbn, picturesByImaging, markupBySanitiser, placesByGazetteer, recordsByJSONLines, restByGin, pagesForStaff,
		useCases,
		wire.Struct(new(App), "*"),
	)
	return nil, nil
}

// initialisePlaces wires the use cases that check the places of events.
func initialisePlaces(events event.Repository, reader event.Reader) *places.Places {
	wire.Build(placesByGazetteer, places.New)
	return nil
}
