package wechatpay

import (
	"errors"
	"fmt"
	"strings"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
)

// The protocols, as they are stored with payments.
const (
	ProtocolV2 payment.Protocol = "v2"
	ProtocolV3 payment.Protocol = "v3"
)

// The paths of notifications. Version 2 signs no path, so its refunds have one of their own.
const (
	pathV2       = "wallet/"
	refundPathV2 = pathV2 + "refund/"
	pathV3       = pathV2 + "v3/"
)

// URL and SpareURL are the wallet's base URLs. The spare one leads to another data centre; version 3 alone uses it.
const (
	URL      = "https://api.mch.weixin.qq.com"
	SpareURL = "https://api2.mch.weixin.qq.com"
)

// DescriptionV2 describes version 2 of the protocol.
var DescriptionV2 = wallet.Description{
	Name: nameV2, URL: URL, Protocol: ProtocolV2, Paths: []string{pathV2, refundPathV2},
	Requires: []wallet.Setting{wallet.MerchantID, wallet.Key, wallet.AppIDs},
	Problems: func(s wallet.Settings) []wallet.Problem {
		_, found := newV2(s)
		return found
	},
	Open: func(s wallet.Settings) (payment.Gateways, error) {
		gateway, found := newV2(s)
		return payment.Gateways{Current: gateway}, found.err(nameV2)
	},
}

// DescriptionV3 describes version 3 of the protocol. With the key of version 2, it also serves what that version has
// opened.
var DescriptionV3 = wallet.Description{
	Name: nameV3, URL: URL, Protocol: ProtocolV3, Paths: []string{pathV3},
	Requires: []wallet.Setting{wallet.MerchantID, wallet.Key, wallet.AppIDs, wallet.PrivateKey, wallet.CertSerial},
	Problems: func(s wallet.Settings) []wallet.Problem {
		_, found := newV3(s)
		return found
	},
	Open: func(s wallet.Settings) (payment.Gateways, error) {
		current, found := newV3(s)
		gateways, err := payment.Gateways{Current: current}, found.err(nameV3)
		if !s.FormerKey.IsZero() {
			s.Key, s.NotifyURL = s.FormerKey, strings.TrimSuffix(current.notify, "v3/")
			former, found := newV2(s)
			if problem := found.err(nameV2); problem != nil {
				err = errors.Join(err, fmt.Errorf("PLAZA_WALLET_V2_KEY: %w", problem))
			}
			gateways.Others = []payment.Gateway{former}
		}
		return gateways, err
	},
}
