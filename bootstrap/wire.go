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
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/place"
)

// initialise wires the App. The store, the files of pictures, the wallet, the translator and the sender of SMS depend on the
// settings, so NewApp opens them and gives them to it.
func initialise(c settings.Config, p Parts, log *slog.Logger, opened storage, stores Stores, addresses media.Addresses,
	wallets payment.Gateways, metrics *prometheus.Metrics) (*App, error) {
	wire.Build(
		wire.FieldsOf(new(Parts), "Now", "Hashing", "Translator"),
		wire.FieldsOf(new(Stores), "Ports", "Media"),
		wire.FieldsOf(new(store.Ports), "Accounts", "Directory", "Tokens", "Throttle", "Codes", "Categories", "Subscriptions", "Blocks",
			"Notifications", "Moderation", "Events", "EventReader", "Discussion", "Feed", "Imports", "Publications", "HowTos", "Translations",
			"Images", "Ledger", "Keys", "Deletions", "Room", "PersonalData", "Search", "Audit", "Telemetry"),

		// Each adapter, with the port that it implements.
		newHasher, wire.Bind(new(access.Hasher), new(*argon2id.Hasher)),
		wire.Value(zxcvbn.Estimator{}), wire.Bind(new(access.Estimator), new(zxcvbn.Estimator)),
		newPortraits, wire.Bind(new(media.Portraits), new(*imaging.Portraits)),
		newProcessor, wire.Bind(new(media.Processor), new(*imaging.Processor)),
		newSanitiser, wire.Bind(new(markup.Sanitiser), new(*sanitiser.Sanitiser)),
		gazetteer.New, wire.Bind(new(place.Analyser), new(*gazetteer.Gazetteer)),
		wire.Value(jsonlines.Decoder{}), wire.Bind(new(imported.Decoder), new(jsonlines.Decoder)),
		newBackOffice, wire.Struct(new(pages.UseCases), "*"),
		httpapi.New, newHTTPConfig, portraitSource, wire.Struct(new(httpapi.UseCases), "*"),

		// Each package of use cases, with what it alone needs and the ports of others that it implements.
		settings.WriteLimits, logOf, // of several
		backoffice.New, newFailingJobs, describe, translatorBudget, messageBudget, wire.Bind(new(backoffice.Jobs), new(*failingJobs)),
		wire.Struct(new(backoffice.Ports), "*"),
		browsing.New,
		cleanup.New,
		diary.New, diaryPorts,
		following.New,
		importing.NewImporter, wire.Struct(new(importing.Ports), "*"),
		moderating.New,
		notifications.New, notifications.NewStreams,
		paying.New, payingLimits,
		people.New,
		pictures.New,
		privacy.New, leave,
		reading.New, translate,
		reconciling.New, applyReceipts,
		refunding.New, refundingLimits,
		signin.New, tokenTTL, joining, secondFactor, wire.Bind(new(backoffice.AccountChanges), new(*signin.Signin)),
		translation.New, offer,
		userimages.New,

		wire.Struct(new(App), "*"),
	)
	return nil, nil
}
