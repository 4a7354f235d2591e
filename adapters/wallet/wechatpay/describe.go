package wechatpay

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
	"plaza/domain/secret"
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

// DescriptionV2 describes version 2 of the protocol.
var DescriptionV2 = wallet.Description{
	Name: nameV2, URL: URL, Protocol: ProtocolV2, Paths: []string{pathV2, refundPathV2},
	Requires: []wallet.Setting{wallet.MerchantID, wallet.Key, wallet.AppIDs},
	Problems: func(s wallet.Settings) []wallet.Problem {
		config, err := fillV2(s, s.Key, notifyURL(s, pathV2))
		found := settingsOf(config.Problems())
		if err != nil {
			found = append(found, wallet.Problem{Setting: wallet.Certificate, Text: err.Error()})
		}
		return found
	},
	Open: func(s wallet.Settings) (payment.Gateways, error) {
		gateway, err := openV2(s, s.Key, notifyURL(s, pathV2))
		return payment.Gateways{Current: gateway}, err
	},
}

// DescriptionV3 describes version 3 of the protocol. With the key of version 2, it also serves what that version has
// opened.
var DescriptionV3 = wallet.Description{
	Name: nameV3, URL: URL, Protocol: ProtocolV3, Paths: []string{pathV3},
	Requires: []wallet.Setting{wallet.MerchantID, wallet.Key, wallet.AppIDs, wallet.PrivateKey, wallet.CertSerial},
	Problems: func(s wallet.Settings) []wallet.Problem {
		found := settingsOf(fillV3(s).Problems())
		if _, err := keyPair(s); err != nil {
			found = append(found, wallet.Problem{Setting: wallet.Certificate, Text: err.Error()})
		}
		return found
	},
	Open: func(s wallet.Settings) (payment.Gateways, error) {
		current, err := NewV3(fillV3(s))
		gateways := payment.Gateways{Current: current}
		if !s.FormerKey.IsZero() {
			former, problem := openV2(s, s.FormerKey, strings.TrimSuffix(notifyURL(s, pathV3), "v3/"))
			if problem != nil {
				problem = fmt.Errorf("PLAZA_WALLET_V2_KEY: %w", problem)
			}
			gateways.Others, err = []payment.Gateway{former}, errors.Join(err, problem)
		}
		return gateways, err
	},
}

func openV2(s wallet.Settings, key secret.String, notify string) (payment.Gateway, error) {
	config, err := fillV2(s, key, notify)
	if err != nil {
		return nil, err
	}
	return NewV2(config)
}

// fill returns the settings that the gateways of both versions have.
func fill(s wallet.Settings, key secret.String, notify string) Config {
	return Config{
		URL: s.URL, MerchantID: s.MerchantID, Key: key, AppIDs: s.AppIDs, NotifyURL: notify, Deadline: s.Deadline, Wrap: s.Wrap,
	}
}

func fillV2(s wallet.Settings, key secret.String, notify string) (ConfigV2, error) {
	certificate, err := keyPair(s)
	return ConfigV2{
		Config: fill(s, key, notify), Certificate: certificate, RefundNotifyURL: strings.TrimRight(notify, "/") + "/refund/",
	}, err
}

func fillV3(s wallet.Settings) ConfigV3 {
	config := ConfigV3{
		Config:     fill(s, s.Key, notifyURL(s, pathV3)),
		PrivateKey: s.PrivateKey, Serial: s.CertSerial, PublicKey: s.PublicKey.Reveal(), PublicKeyID: s.PublicKeyID,
	}
	if s.URL == URL {
		config.SpareURL = SpareURL
	}
	return config
}

func notifyURL(s wallet.Settings, path string) string {
	return wallet.Description{Paths: []string{path}}.NotifyURL(s)
}

// keyPair returns the merchant's certificate with its private key, or nil if none is configured. Its errors contain
// no part of them.
func keyPair(s wallet.Settings) (*tls.Certificate, error) {
	if s.Certificate.IsZero() {
		return nil, nil
	}
	pair, err := tls.X509KeyPair([]byte(s.Certificate.Reveal()), []byte(s.PrivateKey.Reveal()))
	if err != nil {
		return nil, fmt.Errorf("no PEM of a certificate and, in PLAZA_WALLET_PRIVATE_KEY, of its private key: %w", err)
	}
	return &pair, nil
}

// settings are the settings by the fields of the configurations that they fill.
var settings = map[string]wallet.Setting{
	"URL": wallet.URL, "MerchantID": wallet.MerchantID, "Key": wallet.Key, "AppIDs": wallet.AppIDs, "NotifyURL": wallet.NotifyURL,
	"PrivateKey": wallet.PrivateKey, "Serial": wallet.CertSerial, "PublicKey": wallet.PublicKey, "PublicKeyID": wallet.PublicKeyID,
}

func settingsOf(problems []Problem) []wallet.Problem {
	var found []wallet.Problem
	for _, p := range problems {
		if setting, is := settings[p.Field]; is {
			found = append(found, wallet.Problem{Setting: setting, Text: p.Text})
		}
	}
	return found
}
