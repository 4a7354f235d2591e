package bootstrap

import (
	"log/slog"
	"net/http"
	"time"

	"plaza/adapters/argon2id"
	"plaza/adapters/memory"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/people"
	"plaza/application/signin"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/place"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// App is Plaza put together, not yet listening.
type App struct {
	Config    Config
	Log       *slog.Logger
	Handler   http.Handler // the REST interface
	Stores    Stores
	Signin    *signin.Signin
	People    *people.People
	Diary     *diary.Diary
	Following *following.Following

	hasher    access.Hasher
	places    place.Analyser
	sanitiser markup.Sanitiser
}

// Stores are the store ports, whichever adapter stands behind them.
type Stores struct {
	Accounts      access.Accounts
	Directory     user.Directory
	Tokens        access.Tokens
	Throttle      access.Throttle
	Categories    feed.Categories
	Subscriptions subscription.Repository
	Events        event.Repository
	EventReader   event.Reader
	Discussion    event.Discussion
	News          event.NewsArchive
}

// Parts are what a test replaces.
type Parts struct {
	Now     func() time.Time // nil: the system's clock
	Hashing *argon2id.Params // nil: those of OWASP
}

// NewApp puts Plaza together over an empty store.
func NewApp(c Config, log *slog.Logger, p Parts) (*App, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Hashing == nil {
		p.Hashing = &argon2id.OWASP
	}
	return initialise(c, log, openStores(), p.Now, *p.Hashing)
}

func openStores() Stores {
	s := memory.New()
	return Stores{
		Accounts: s.Accounts(), Directory: s.Accounts(), Tokens: s.Tokens(), Throttle: s.Throttle(),
		Categories: s.Categories(), Subscriptions: s.Subscriptions(),
		Events: s.Events(), EventReader: s.Events(), Discussion: s.Events(), News: s.News(),
	}
}

// demoPorts are what the demo data is written through.
func (a *App) demoPorts() demo.Ports {
	return demo.Ports{
		Accounts: a.Stores.Accounts, Tokens: a.Stores.Tokens, Throttle: a.Stores.Throttle, Hasher: a.hasher,
		Categories: a.Stores.Categories, Subscriptions: a.Stores.Subscriptions, News: a.Stores.News,
		Diary: diaryPorts(a.Stores, a.places, a.sanitiser),
	}
}
