package bunstore

// The ports of the store, each by itself: ports may have methods of the same name.

func (s *Store) Accounts() Accounts           { return Accounts{DB: s.DB, Limits: s.limits} }
func (s *Store) Audit() Audit                 { return Audit{DB: s.DB} }
func (s *Store) Blocks() Blocks               { return Blocks{DB: s.DB, Limits: s.limits} }
func (s *Store) Categories() Categories       { return Categories{DB: s.DB} }
func (s *Store) Codes() Codes                 { return Codes{DB: s.DB} }
func (s *Store) DeletionQueue() DeletionQueue { return DeletionQueue{DB: s.DB} }
func (s *Store) Events() Events               { return Events{DB: s.DB, Limits: s.limits} }
func (s *Store) Feed() Feed                   { return Feed{DB: s.DB} }
func (s *Store) HowTos() HowTos               { return HowTos{DB: s.DB} }
func (s *Store) Images() Images               { return Images{DB: s.DB, Limits: s.limits} }
func (s *Store) Keys() Keys                   { return Keys{DB: s.DB} }
func (s *Store) Moderation() Moderation       { return Moderation{DB: s.DB} }
func (s *Store) Notifications() Notifications { return Notifications{DB: s.DB} }
func (s *Store) PersonalData() PersonalData   { return PersonalData{DB: s.DB} }
func (s *Store) Publications() Publications   { return Publications{DB: s.DB} }
func (s *Store) Subscriptions() Subscriptions { return Subscriptions{DB: s.DB, Limits: s.limits} }
func (s *Store) Telemetry() Telemetry         { return Telemetry{DB: s.DB} }
func (s *Store) Throttle() Throttle           { return Throttle{DB: s.DB} }
func (s *Store) Tokens() Tokens               { return Tokens{DB: s.DB} }
func (s *Store) Translations() Translations   { return Translations{DB: s.DB} }
func (s *Store) Imports() ImportStore         { return ImportStore{DB: s.DB} }
func (s *Store) Ledger() Ledger               { return Ledger{s.Keys()} }
