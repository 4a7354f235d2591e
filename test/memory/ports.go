package memory

import (
	"plaza/application/store"
	"plaza/domain/quota"
)

// New returns an empty store.
func New() *Store {
	s := &Store{requests: keys{}}
	l, i, t := &s.ledger, &s.imports, &s.translations
	for _, one := range []interface{ make() }{
		&s.accounts, &s.telephones, &s.codes.all, &s.codes.spent, &s.members, &s.bios, &s.hiddenProfiles, &s.tokens, &s.spentUntil,
		&s.categories, &s.listings, &s.index,
		&s.subscriptions, &s.blocks, &s.events, &s.comments,
		&s.likes, &s.notifications, &s.streams, &s.readUpTo, &s.reports, &s.cases,
		&s.hidden, &s.publications, &s.nodes, &s.texts, &s.howTos, &s.demands, &s.images,
		&s.deletions, &s.pictures, &s.pictureBytes,
		&l.orders, &l.changes, &l.nextChecks, &l.prepayments, &l.tradeNos, &l.payments, &l.journal, &l.refunds, &l.findings, &l.reconciliations,
		&i.users, &i.sources, &i.hadAccount, &i.bundles, &i.news, &i.progress, &i.covers, &t.kept, &t.claims, &t.spent, &s.failures.usual,
	} {
		one.make()
	}
	s.Ports = s.WithQuotas(quota.Limits{})
	return s
}

// WithQuotas returns the ports of the store. They keep accounts within the quotas.
func (s *Store) WithQuotas(l quota.Limits) store.Ports {
	v := view{s, l}
	return store.Ports{
		Accounts: Accounts(v), Directory: Accounts(v), Tokens: Tokens(v), Throttle: Throttle(v), Codes: Codes(v),
		Categories: Categories(v), Subscriptions: Subscriptions(v), Blocks: Blocks(v),
		Events: Events(v), EventReader: Events(v), Discussion: Events(v), Related: Events(v), Notifications: Notifications(v),
		Moderation: Moderation(v), Feed: Feed(v), Publications: Publications(v), HowTos: HowTos(v), Translations: Translations(v),
		Images: Images(v), Ledger: Ledger{Keys(v)}, Keys: Keys(v), Deletions: DeletionQueue(v), Room: Room(v),
		Imports: ImportStore(v), Telemetry: Telemetry(v), PersonalData: PersonalData(v), Audit: Audit(v), Search: Search(v),
	}
}
