package bootstrap

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"plaza/adapters/argon2id"
	"plaza/adapters/memory"
	"plaza/application/browsing"
	"plaza/application/curating"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/importing"
	"plaza/application/paying"
	"plaza/application/people"
	"plaza/application/reading"
	"plaza/application/signin"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/gallery"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/place"
	"plaza/domain/publication"
	"plaza/domain/secret"
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
	Browsing  *browsing.Browsing
	Reading   *reading.Reading
	Curating  *curating.Curating
	Importing *importing.Importing
	Paying    *paying.Paying

	hasher    access.Hasher
	places    place.Analyser
	sanitiser markup.Sanitiser
	inspector media.Inspector
}

// Close waits for what goes on behind requests. Nothing may be asked of the App
// any more.
func (a *App) Close() { a.Reading.Close() }

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
	Feed          feed.Reader
	Publications  publication.Repository
	HowTos        publication.HowTos
	Translations  publication.Cache
	Demands       demand.Repository
	Images        gallery.Repository
	Ledger        payment.Ledger
	Media         media.Store
}

// Parts are what a test replaces.
type Parts struct {
	Now        func() time.Time       // nil: the system's clock
	Hashing    *argon2id.Params       // nil: those of OWASP
	Translator publication.Translator // nil: that of the configuration
}

// NewApp puts Plaza together over an empty store.
func NewApp(c Config, log *slog.Logger, p Parts) (*App, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Hashing == nil {
		p.Hashing = &argon2id.OWASP
	}
	if p.Translator == nil {
		p.Translator = newTranslator(c)
	}
	signing := secret.New(rand.Text()) // pictures are gone with the process, so their addresses may be, too
	addresses := media.NewAddresses(c.PublicURL, signing)
	return initialise(c, log, openStores(c, signing), addresses, p.Translator, p.Now, *p.Hashing)
}

func openStores(c Config, signing secret.String) Stores {
	s := memory.New()
	return Stores{
		Accounts: s.Accounts(), Directory: s.Accounts(), Tokens: s.Tokens(), Throttle: s.Throttle(),
		Categories: s.Categories(), Subscriptions: s.Subscriptions(),
		Events: s.Events(), EventReader: s.Events(), Discussion: s.Events(), News: s.News(),
		Feed: s.Feed(), Publications: s.Publications(), HowTos: s.HowTos(), Translations: s.Translations(),
		Demands: s.Demands(), Images: s.Images(), Ledger: s.Ledger(),
		Media: memory.NewMedia(c.PublicURL, []byte(signing.Reveal())),
	}
}

// LoadDemo writes the demo data, unless it is there.
func (a *App) LoadDemo(ctx context.Context) error {
	return demo.Load(ctx, demo.Ports{
		Accounts: a.Stores.Accounts, Tokens: a.Stores.Tokens, Throttle: a.Stores.Throttle, Hasher: a.hasher,
		Categories: a.Stores.Categories, Subscriptions: a.Stores.Subscriptions, News: a.Stores.News,
		Diary:        diaryPorts(a.Stores, a.places, a.sanitiser, a.inspector),
		Publications: a.Stores.Publications, HowTos: a.Stores.HowTos, Demands: a.Stores.Demands,
		Images: a.Stores.Images, Ledger: a.Stores.Ledger,
	})
}
