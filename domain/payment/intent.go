package payment

import (
	"fmt"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Method is what somebody wants to pay with.
type Method int

// The methods of the interface.
const (
	CardNetwork  Method = 0
	EWallet      Method = 100
	MobileWallet Method = 200 // the only one that this operation takes
)

// EndType is where the payer meets the wallet.
type EndType int

// The end types of the interface.
const (
	Native EndType = 0   // a QR code
	App    EndType = 100 // in-app
	JSAPI  EndType = 200 // the wallet's own browser
	H5     EndType = 300 // another mobile browser
)

// WalletApp is the wallet application of the paying terminal.
type WalletApp string

// The applications of the interface.
const (
	OfficialAccount WalletApp = "official_account"
	SvcIOSApp       WalletApp = "svc_ios_app"
)

// Intent is how somebody wants to pay. Only NewIntent makes one that fits
// together.
type Intent struct {
	EndType EndType
	App     WalletApp
	OpenID  string // the payer in the wallet, for JSAPI
}

// OpenIDLimit bounds a payer's identifier.
var OpenIDLimit = text.Limit{Chars: 128}

// NewIntent checks that what is wanted fits together (PAY-01, PAY-04, PAY-06) and
// tells all that does not. An empty app is OfficialAccount.
func NewIntent(m Method, e EndType, app WalletApp, openID string) (Intent, error) {
	var wrong fault.Fields
	switch m {
	case MobileWallet:
	case CardNetwork, EWallet:
		wrong.Add("pay_method", "This operation takes 200, the mobile wallet.")
	default:
		wrong.Add("pay_method", noChoice(m))
	}
	if app == "" {
		app = OfficialAccount
	}
	needs, known := map[EndType]WalletApp{Native: OfficialAccount, App: SvcIOSApp, JSAPI: OfficialAccount, H5: OfficialAccount}[e]
	switch {
	case app != OfficialAccount && app != SvcIOSApp:
		wrong.Add("extra_params.wallet_app_type", noChoice(app))
	case known && app != needs:
		wrong.Add("extra_params.wallet_app_type", fmt.Sprintf("With end_type %d this is %s.", e, needs))
	}
	if !known {
		wrong.Add("end_type", noChoice(e))
	}
	if e == JSAPI {
		wrong.Add("extra_params.open_id", OpenIDLimit.RequiredProblem(openID))
	} else {
		wrong.Add("extra_params.open_id", OpenIDLimit.Problem(openID))
	}
	return Intent{EndType: e, App: app, OpenID: openID}, wrong.Err()
}

func noChoice(v any) string { return fmt.Sprintf("“%v” is not a valid choice.", v) }
