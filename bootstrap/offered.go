package bootstrap

import (
	"strings"

	"plaza/adapters/translator/provider"
	"plaza/bootstrap/settings"
)

//go:generate go test -tags nomsgpack,nodynamic -vet=off -run TestSettingsPage . -args -write

// Check returns the configuration with its missing values filled in, or all problems with the settings together. It
// checks also what only the adapters know.
func Check(c settings.Config) (settings.Config, error) {
	return c.Check(checkTranslator, checkWallet, checkSender)
}

// Offered returns what the help of the settings says of the adapters that can be chosen.
func Offered() settings.Offered {
	of := func(has func(provider.Description) bool) string {
		var found []string
		for _, d := range offeredTranslators {
			if has(d) {
				found = append(found, d.Name)
			}
		}
		return strings.Join(found, ", ")
	}
	return settings.Offered{
		Translators:      strings.Join(names(offeredTranslators, translatorName), ", "),
		PaidTranslators:  of(func(d provider.Description) bool { return d.ChargesCharacters }),
		TranslatorsByURL: of(func(d provider.Description) bool { return d.NeedsURL }),
		Wallets:          strings.Join(names(offeredWallets, walletName), ", "),
		Senders:          describedSenders(),
		PaidSenders:      paidSenders(),
		SenderSettings:   senderSettingsHelp(),
	}
}

func names[D any](all []D, name func(D) string) []string {
	var found []string
	for _, d := range all {
		found = append(found, name(d))
	}
	return found
}
