package bootstrap

import (
	"cmp"
	"errors"
	"fmt"

	"plaza/adapters/wallet"
	"plaza/adapters/wallet/wechatpay"
	"plaza/application/paying"
	"plaza/application/reconciling"
	"plaza/application/refunding"
	"plaza/bootstrap/settings"
	"plaza/domain/payment"
)

// offeredWallets are the wallets that take money.
var offeredWallets = []wallet.Description{wechatpay.DescriptionV2, wechatpay.DescriptionV3}

// sandboxes are the wallets whose protocols the sandbox speaks, by the names of the sandbox.
var sandboxes = map[string]wallet.Description{
	settings.SandboxWallet: wechatpay.DescriptionV2, settings.SandboxV3Wallet: wechatpay.DescriptionV3,
}

func chosenWallet(c settings.Config) (wallet.Description, bool) {
	if w, is := byName(offeredWallets, walletName, c.Wallet); is {
		return w, true
	}
	w, is := sandboxes[c.Wallet]
	return w, is
}

// walletSettings returns the settings of the wallet, which reports at its path below the public address unless another
// address is set.
func walletSettings(c settings.Config, d wallet.Description, t *traces) wallet.Settings {
	return wallet.Settings{
		URL: c.WalletURL, MerchantID: c.WalletMchID, Key: c.WalletKey, AppIDs: c.WalletApps(),
		NotifyURL:  cmp.Or(c.WalletNotifyURL, c.PublicURL+d.NotifyPath),
		PrivateKey: c.WalletPrivateKey, CertSerial: c.WalletCertSerial, Certificate: c.WalletCert,
		PublicKey: c.WalletPublicKey, PublicKeyID: c.WalletPublicKeyID, FormerKey: c.WalletV2Key,
		Deadline: c.WalletTimeout, Wrap: t.spans("wallet", d.Name == wechatpay.DescriptionV2.Name), // paths of version 3 have numbers of orders
	}
}

// checkWallet fills in the wallet's address and notes the problems that the wallet has with its settings.
func checkWallet(c *settings.Config, p settings.Problems) {
	p.Note("PLAZA_WALLET", settings.OneOf(c.Wallet, append(settings.WithoutMoney(), names(offeredWallets, walletName)...)...))
	chosen, is := chosenWallet(*c)
	if !is || c.UsesSandbox() {
		return
	}
	checked, problems := chosen.Check(walletSettings(*c, chosen, nil))
	c.WalletURL = checked.URL
	for _, problem := range problems {
		// The default of the address for notifications is made of the public address, which may not be known yet.
		if problem.Setting != wallet.NotifyURL || c.WalletNotifyURL != "" {
			p.Note("PLAZA_WALLET_"+string(problem.Setting), errors.New(problem.Text))
		}
	}
}

func walletName(w wallet.Description) string { return w.Name }

func newGateways(c settings.Config, t *traces) (gateways payment.Gateways, err error) {
	chosen, is := chosenWallet(c)
	if !is {
		return payment.Gateways{}, nil
	}
	gateways, problems := chosen.Open(walletSettings(c, chosen, t))
	for _, p := range problems {
		err = errors.Join(err, fmt.Errorf("%w: PLAZA_WALLET_%s %s", settings.ErrInvalid, p.Setting, p.Text))
	}
	return gateways, err
}

func payingLimits(c settings.Config) paying.Limits {
	return paying.Limits{Call: c.WalletTimeout, Interval: c.WalletPoll}
}

func refundingLimits(c settings.Config) refunding.Limits {
	return refunding.Limits{Call: c.WalletTimeout, Interval: c.WalletPoll, Automatic: c.WalletRefundDue == settings.RefundAutomatically}
}

// applyReceipts returns how payments are taken in that only a bill has.
func applyReceipts(p *paying.Paying) reconciling.Apply { return p.ApplyReceipt }
