package wechatpay

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// Least time between two fetches of the wallet's certificates, after a success and after a failure. Messages that name
// unknown certificates, forged ones included, cause no more fetches than that. A genuine notification that comes within
// the pause is refused, and the wallet sends it again after it.
const (
	fetchPause = 30 * time.Second
	retryPause = 10 * time.Second
)

// maxWaiting is how many notifications may wait for a fetch at once. Further ones fail at once: every client can send a
// notification that names an unknown certificate.
const maxWaiting = 16

// expiryGrace is how long a certificate counts after it has expired, for messages on their way.
const expiryGrace = 5 * time.Minute

// maxCertificates bounds the certificates in one answer, and those that are kept beside the newest answer's.
const maxCertificates = 16

// keyMode is the mode in which the wallet publishes a key. Its text names the algorithm in the counts of notifications.
type keyMode string

const (
	byCertificate keyMode = "RSA-certificate"
	byPublicKey   keyMode = "RSA-public-key"
)

// platformKey is one of the wallet's keys. A key without an end is valid for good.
type platformKey struct {
	mode        keyMode
	rsa         *rsa.PublicKey
	from, until time.Time
}

func (k platformKey) isValid(now time.Time) bool {
	return k.until.IsZero() || !now.Before(k.from.Add(-clockWindow)) && !now.After(k.until.Add(expiryGrace))
}

var (
	errUnknownKey = errors.New("signed with a key that is not the wallet's, or no longer")
	errTooMany    = errors.New("too many notifications wait for the wallet's certificates")
)

// platformKeys holds the wallet's keys: the configured public key, and certificates that are fetched when a message
// names an unknown one. It is safe for concurrent use.
type platformKeys struct {
	fixedID  string // of the configured public key; empty: not configured
	fixed    platformKey
	fetch    func(ctx context.Context, find keyFinder) (map[string]platformKey, error)
	deadline time.Duration
	now      func() time.Time

	mu      sync.Mutex
	listed  map[string]platformKey // certificates by serial number
	next    time.Time              // no fetch before
	failure error                  // of the last fetch

	fetches singleflight.Group
	waiting atomic.Int32 // messages that wait for a fetch
}

// find returns the key with the serial number or the id. If the certificate is not known it waits for one fetch, which
// it may have begun. It fails if the context ends first.
func (p *platformKeys) find(ctx context.Context, serial string) (platformKey, error) {
	return p.findAmong(ctx, serial, math.MaxInt32)
}

// findNotified is find for a notification: it does not wait if maxWaiting others wait.
func (p *platformKeys) findNotified(ctx context.Context, serial string) (platformKey, error) {
	return p.findAmong(ctx, serial, maxWaiting)
}

func (p *platformKeys) findAmong(ctx context.Context, serial string, most int32) (platformKey, error) {
	if key, is := p.key(serial); is {
		return key, nil
	}
	if strings.HasPrefix(serial, publicKeyPrefix) || !isSerial(serial) {
		return platformKey{}, errUnknownKey // no certificate has such a number
	}
	if err := p.wait(ctx, most); err != nil {
		return platformKey{}, err
	}
	if key, is := p.key(serial); is {
		return key, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure != nil {
		return platformKey{}, fmt.Errorf("fetching the wallet's certificates failed: %w", p.failure)
	}
	return platformKey{}, errUnknownKey
}

// key returns the key with the serial number or the id, if it is known and valid.
func (p *platformKeys) key(serial string) (platformKey, bool) {
	if serial == p.fixedID && serial != "" {
		return p.fixed, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key, known := p.listed[serial]
	return key, known && key.isValid(p.now())
}

// wait waits for a fetch, which it begins unless one is under way, as one of at most that many.
func (p *platformKeys) wait(ctx context.Context, most int32) error {
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > most {
		return errTooMany
	}
	select {
	case <-p.fetches.DoChan("", p.refresh):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the wallet's certificates: %w", ctx.Err())
	}
}

// refresh fetches the certificates, unless it is too early. It has a deadline of its own, so that no caller who leaves takes
// the certificates from the others who wait for them. It returns nothing.
func (p *platformKeys) refresh() (any, error) {
	p.mu.Lock()
	isEarly := p.now().Before(p.next)
	p.mu.Unlock()
	if isEarly {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.deadline)
	defer cancel()
	fresh, err := p.fetch(ctx, func(_ context.Context, serial string) (platformKey, error) {
		if key, is := p.key(serial); is {
			return key, nil
		}
		return platformKey{}, errUnknownKey
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure = err; err != nil {
		p.next = p.now().Add(retryPause)
	} else {
		p.next, p.listed = p.now().Add(fetchPause), p.merged(fresh)
	}
	return nil, nil
}

// merged returns the fresh certificates and those that are still valid: the wallet may have signed messages with them
// that are on their way.
func (p *platformKeys) merged(fresh map[string]platformKey) map[string]platformKey {
	all := maps.Clone(fresh)
	for serial, key := range p.listed {
		if _, listed := all[serial]; !listed && key.isValid(p.now()) && len(all) < 2*maxCertificates {
			all[serial] = key
		}
	}
	return all
}

// certificates fetches the wallet's certificates by their serial numbers. Their trust rests on the encryption under the
// APIv3 key, which only the wallet and the merchant have, and on TLS. The answer must be signed with a key that is known
// or that is in the answer itself, as it is the first time.
func (g *V3) certificates(ctx context.Context, known keyFinder) (map[string]platformKey, error) {
	a, err := g.exchange(ctx, requestV3{method: http.MethodGet, target: "/v3/certificates"})
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, fmt.Errorf("status %d%s", a.status, a.clockHint(g.now()))
	}
	listed, err := g.readCertificates(a.body)
	if err != nil {
		return nil, err
	}
	_, err = verify(ctx, a.signedMessage, g.now(), func(ctx context.Context, serial string) (platformKey, error) {
		if key, is := listed[serial]; is && key.isValid(g.now()) {
			return key, nil
		}
		return known(ctx, serial)
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}

func (g *V3) readCertificates(body []byte) (map[string]platformKey, error) {
	answer, err := parseObject(body)
	if err != nil {
		return nil, err
	}
	entries := answer.list("data")
	if len(entries) == 0 || len(entries) > maxCertificates {
		return nil, errors.New("no certificates, or too many")
	}
	found := map[string]platformKey{}
	for _, entry := range entries {
		text, err := decryptResource(entry.object("encrypt_certificate"), g.key)
		if err != nil {
			return nil, err
		}
		key, err := parseCertificate(text, entry.text("serial_no"))
		if err != nil {
			return nil, err
		}
		found[entry.text("serial_no")] = key
	}
	return found, nil
}

// parseCertificate returns the key of a certificate that must have the serial number.
func parseCertificate(text []byte, serial string) (platformKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return platformKey{}, errors.New("a certificate is not PEM")
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return platformKey{}, errors.New("a certificate is malformed")
	}
	key, is := c.PublicKey.(*rsa.PublicKey)
	switch {
	case !is || key.N.BitLen() < minKeyBits:
		return platformKey{}, errors.New("a certificate's key is not RSA with 2,048 bits or more")
	case !isSerial(serial) || strings.TrimLeft(serial, "0") != fmt.Sprintf("%X", c.SerialNumber):
		return platformKey{}, errors.New("a certificate has another serial number than its entry")
	}
	return platformKey{mode: byCertificate, rsa: key, from: c.NotBefore, until: c.NotAfter}, nil
}
