package payment

import (
	"fmt"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Method is a payment method.
type Method int

// The methods of the interface.
const (
	CardNetwork  Method = 0
	EWallet      Method = 100
	MobileWallet Method = 200 // the only supported method
)

// EndType is the type of the paying terminal.
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

// Intent is a way to pay. NewIntent returns only consistent intents.
type Intent struct {
	EndType EndType
	App     WalletApp
	OpenID  string // the payer's identifier in the wallet, for JSAPI
}

// OpenIDLimit bounds a payer's identifier.
var OpenIDLimit = text.Limit{Chars: 128}

// NewIntent checks that the arguments are consistent (PAY-01, PAY-04, PAY-06). One fault
// reports all invalid fields. An empty app means OfficialAccount.
func NewIntent(m Method, e EndType, app WalletApp, openID string) (Intent, error) {
	var wrong fault.Fields
	switch m {
	case MobileWallet:
	case CardNetwork, EWallet:
		wrong.Add("pay_method", "The only supported method is 200, the mobile wallet.")
	default:
		wrong.Add("pay_method", text.NoChoice(m, MobileWallet))
	}
	if app == "" {
		app = OfficialAccount
	}
	needs, known := map[EndType]WalletApp{Native: OfficialAccount, App: SvcIOSApp, JSAPI: OfficialAccount, H5: OfficialAccount}[e]
	switch {
	case app != OfficialAccount && app != SvcIOSApp:
		wrong.Add("extra_params.wallet_app_type", text.NoChoice(app, OfficialAccount, SvcIOSApp))
	case known && app != needs:
		wrong.Add("extra_params.wallet_app_type", fmt.Sprintf("The end_type %d requires %s.", e, needs))
	}
	if !known {
		wrong.Add("end_type", text.NoChoice(e, Native, App, JSAPI, H5))
	}
	if e == JSAPI && text.IsBlank(openID) {
		wrong.Add("extra_params.open_id", fmt.Sprintf("The end_type %d requires the payer's open_id.", e))
	} else {
		wrong.Add("extra_params.open_id", OpenIDLimit.Problem(openID))
	}
	return Intent{EndType: e, App: app, OpenID: openID}, wrong.Err()
}
