// Package webhook sends messages to a gateway of the operator's, as signed webhooks (Standard Webhooks
// 1.0.0). The gateway sends the SMS.
package webhook

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"plaza/adapters/sms/provider"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// Description describes the sender. What the gateway's messages cost is the operator's to know.
var Description = provider.Description{
	Name: "webhook", Help: "a gateway of your own", Paid: true,
	Settings: []provider.Setting{
		{Name: provider.URLSetting, Help: "the address of the gateway"},
		{Name: provider.KeySetting, Help: "the secret that signs, whsec_…; several with spaces between: a gateway may know any of them"},
	},
	Open: open,
}

func open(s provider.Settings) (verification.Sender, error) {
	signers, err := signersOf(s.Key)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	path := "" // the connection ends its URL without a slash
	if strings.HasSuffix(s.Connection.URL, "/") {
		path = "/"
	}
	return provider.New(s, "webhook", protocol{path: path, signers: signers})
}

const secretPrefix = "whsec_"

// signersOf returns a signer for each secret.
func signersOf(secrets secret.String) ([]*standardwebhooks.Webhook, error) {
	var signers []*standardwebhooks.Webhook
	for s := range strings.FieldsSeq(secrets.Reveal()) {
		encoded, hasPrefix := strings.CutPrefix(s, secretPrefix)
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if !hasPrefix || err != nil || len(raw) < 24 || len(raw) > 64 {
			return nil, errors.New(provider.KeySetting + " must be whsec_ and 24 to 64 bytes in base64")
		}
		signer, err := standardwebhooks.NewWebhookRaw(raw)
		if err != nil {
			return nil, errors.New(provider.KeySetting + " is refused")
		}
		signers = append(signers, signer)
	}
	if len(signers) == 0 {
		return nil, errors.New(provider.KeySetting + " has no secret")
	}
	return signers, nil
}

type protocol struct {
	path    string
	signers []*standardwebhooks.Webhook
}

// body is what the gateway receives.
type body struct {
	To        string               `json:"to"`
	Purpose   verification.Purpose `json:"purpose"`
	Code      string               `json:"code,omitempty"`
	Text      string               `json:"text"`
	ExpiresIn int                  `json:"expires_in,omitempty"` // seconds
}

func (p protocol) Request(m verification.Message, at time.Time) (provider.Request, error) {
	raw, _ := json.Marshal(body{ // texts and numbers can always be written
		To: m.To.E164(), Purpose: m.Purpose, Code: m.Code.Reveal(), Text: m.Text.Reveal(), ExpiresIn: int(m.ExpiresIn / time.Second),
	})
	var signatures []string
	for _, signer := range p.signers {
		signature, err := signer.Sign(m.ID, at, raw)
		if err != nil {
			return provider.Request{}, fmt.Errorf("signing the message: %w", err)
		}
		signatures = append(signatures, signature)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	header.Set(standardwebhooks.HeaderWebhookID, m.ID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return provider.Request{Path: p.path, Header: header, Body: raw}, nil
}

// Judge reads the status alone.
func (protocol) Judge(status int, _ []byte) error {
	if status >= 200 && status < 300 {
		return nil
	}
	return provider.JudgeStatus(status)
}
