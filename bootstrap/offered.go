package bootstrap

import (
	"slices"
	"strings"

	sms "plaza/adapters/sms/provider"
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
	offered := settings.Offered{
		"translators":        joined(offeredTranslators, translatorName),
		"paid_translators":   joined(offeredTranslators, translatorName, func(d provider.Description) bool { return d.ChargesCharacters }),
		"translators_by_url": joined(offeredTranslators, translatorName, func(d provider.Description) bool { return d.NeedsURL }),
		"wallets":            joined(offeredWallets, walletName),
		"senders":            joined(offeredSenders, func(d sms.Description) string { return d.Name + " (" + d.Help + ")" }),
		"paid_senders":       joined(offeredSenders, senderName, func(d sms.Description) bool { return d.Paid }),
	}
	for _, d := range offeredSenders { // what they mean by their settings
		for _, s := range d.Settings {
			offered[s.Name] = strings.TrimPrefix(offered[s.Name]+". "+d.Name+": "+s.Help, ". ")
		}
	}
	return offered
}

// names returns the names of those of all that have what is asked of them.
func names[D any](all []D, name func(D) string, asked ...func(D) bool) (found []string) {
	for _, d := range all {
		if !slices.ContainsFunc(asked, func(has func(D) bool) bool { return !has(d) }) {
			found = append(found, name(d))
		}
	}
	return found
}

func joined[D any](all []D, name func(D) string, asked ...func(D) bool) string {
	return strings.Join(names(all, name, asked...), ", ")
}

func byName[D any](all []D, nameOf func(D) string, name string) (found D, is bool) {
	i := slices.IndexFunc(all, func(d D) bool { return nameOf(d) == name })
	if i < 0 {
		return found, false
	}
	return all[i], true
}
