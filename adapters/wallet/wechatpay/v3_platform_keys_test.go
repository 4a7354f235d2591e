package wechatpay

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
)

// unpaidAs answers a query, signed with the certificate's key.
func (w *walletV3) unpaidAs(c testCertificate) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) { saysAsV3(c, w.clock(), 200, fieldsV3(unpaidV3))(rw, r) }
}

// certified returns a wallet whose certificates are fetched. It answers queries signed with one after the other.
func certified(t *testing.T, signers ...testCertificate) *walletV3 {
	t.Helper()
	w := newWalletV3For(t, byCertificates)
	for _, c := range signers {
		w.answers = append(w.answers, w.unpaidAs(c))
	}
	return w
}

// fetching returns keys whose certificate is fetched when the channel is closed.
func fetching(c testCertificate, deadline time.Duration, answer <-chan struct{}) *platformKeys {
	return &platformKeys{deadline: deadline, now: time.Now, fetch: func(ctx context.Context, _ keyFinder) (map[string]platformKey, error) {
		select {
		case <-answer:
			return map[string]platformKey{c.serial: {rsa: &c.key.PublicKey}}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

func TestPAY10_certificates_rotate_without_a_restart(t *testing.T) {
	first, second := firstCertificate(), secondCertificate()
	w := certified(t, first, first, second, second, first)
	require.NoError(t, query(t, w))
	require.NoError(t, query(t, w))
	assert.Equal(t, 1, w.fetched(), "fetched when an answer names it, and once")

	w.change(func() { w.certificates, w.now = []testCertificate{first, second}, noon.Add(time.Hour) })
	require.NoError(t, query(t, w), "the new one signs at once; the list is signed by the old one")
	assert.Equal(t, 2, w.fetched())
	require.NoError(t, query(t, w))
	w.change(func() { w.certificates = []testCertificate{second} })
	require.NoError(t, query(t, w), "what the old one has signed may still be on its way")
	assert.Equal(t, 2, w.fetched())
}

func TestPAY10_an_expired_certificate_counts_for_five_minutes_more(t *testing.T) {
	c := firstCertificate()
	w := certified(t, c)
	require.NoError(t, query(t, w))
	w.change(func() { w.now = c.until.Add(5 * time.Minute) })
	require.NoError(t, query(t, w))
	w.change(func() { w.now = c.until.Add(5*time.Minute + time.Second) })
	require.ErrorIs(t, query(t, w), payment.ErrWalletBadResponse)
	assert.Equal(t, 2, w.fetched(), "another one may have taken its place")
	w.change(func() { w.now = c.from.Add(-time.Hour) })
	require.ErrorIs(t, query(t, w), payment.ErrWalletBadResponse, "not valid yet")
}

func TestPAY10_unknown_serials_fetch_once_in_half_a_minute(t *testing.T) {
	w := newWalletV3For(t, byCertificates)
	flood := func() {
		var all sync.WaitGroup
		for n := range maxWaiting {
			all.Go(func() {
				body := paidEventV3()
				header := signedHeader(testKeys().stranger, fmt.Sprintf("AB%02d", n), w.clock(), body)
				_, err := w.Receive(payment.Notification{Header: header, Body: []byte(body)})
				assert.ErrorIs(t, err, payment.ErrForged)
			})
		}
		all.Wait()
	}
	flood()
	assert.Equal(t, 1, w.fetched())
	flood()
	w.change(func() { w.now = noon.Add(fetchPause - time.Second) })
	flood()
	assert.Equal(t, 1, w.fetched())
	w.change(func() { w.now = noon.Add(fetchPause) })
	flood()
	assert.Equal(t, 2, w.fetched())
}

func TestPAY10_what_is_no_serial_number_fetches_nothing(t *testing.T) {
	w := newWalletV3(t)
	for _, serial := range []string{keyID + "0", "PUB_KEY_ID_", "abcdef", "12 34", "1/../2", "A:B"} {
		body := paidEventV3()
		_, err := w.Receive(payment.Notification{Header: signedHeader(testKeys().published, serial, noon, body), Body: []byte(body)})
		require.ErrorIs(t, err, payment.ErrForged, serial)
	}
	assert.Zero(t, w.fetched())
}

// A merchant who changes over gets messages of both modes.
func TestPAY10_both_modes_at_once(t *testing.T) {
	w := newWalletV3(t)
	first := firstCertificate()
	w.answers = []http.HandlerFunc{saysV3(200, fieldsV3(unpaidV3)), w.unpaidAs(first), saysV3(200, fieldsV3(unpaidV3))}
	require.NoError(t, query(t, w))
	assert.Zero(t, w.fetched())
	w.change(func() { w.signedBy = testCertificate{key: testKeys().published, serial: keyID} })
	require.NoError(t, query(t, w), "the list is signed with the published key")
	require.NoError(t, query(t, w))
	assert.Equal(t, 1, w.fetched())
}

func TestPAY10_a_failed_fetch_is_repeated_soon(t *testing.T) {
	w := certified(t, firstCertificate())
	w.change(func() { w.onFetch = writesV3(503, "", nil) })
	for range 3 {
		err := query(t, w)
		require.ErrorIs(t, err, payment.ErrWalletBadResponse)
		require.ErrorContains(t, err, "fetching the wallet's certificates failed")
	}
	assert.Equal(t, 1, w.fetched())
	w.change(func() { w.onFetch, w.now = nil, noon.Add(retryPause) })
	require.NoError(t, query(t, w))
	assert.Equal(t, 2, w.fetched())
}

// The outcome of a fetch belongs to all who wait for it, not to the caller who began it.
func TestPAY10_a_caller_who_leaves_does_not_end_the_fetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := firstCertificate()
		answer := make(chan struct{})
		p := fetching(c, time.Minute, answer)
		leaving, leave := context.WithCancel(t.Context())
		left, stayed := make(chan error, 1), make(chan error, 1)
		go func() { _, err := p.find(leaving, c.serial); left <- err }()
		synctest.Wait()
		go func() { _, err := p.find(t.Context(), c.serial); stayed <- err }()
		synctest.Wait()
		leave()
		require.ErrorIs(t, <-left, context.Canceled)
		close(answer)
		require.NoError(t, <-stayed)
	})
}

func TestPAY10_a_fetch_has_a_deadline_of_its_own(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := fetching(firstCertificate(), 3*time.Second, nil)
		began := time.Now()
		_, err := p.find(t.Context(), "AB")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}

func TestPAY10_lists_of_certificates_that_do_not_count(t *testing.T) {
	first, second := firstCertificate(), secondCertificate()
	many := make([]testCertificate, maxCertificates+1)
	for n := range many {
		many[n] = first
	}
	list := certificateList(first)
	entry := func(serial, key, text string) string {
		return encoded(map[string]any{"data": []any{map[string]any{"serial_no": serial,
			"encrypt_certificate": sealed(key, text, "certificate")}}})
	}
	as := func(c testCertificate, body string) http.HandlerFunc {
		return saysAsV3(c, noon, 200, body)
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		wrong  string
	}{
		"signed by one not in it":    {as(second, list), errUnknownKey.Error()},
		"not signed":                 {writesV3(200, list, nil), "missing or oversized header"},
		"empty":                      {as(first, `{"data":[]}`), "no certificates"},
		"too many":                   {as(first, certificateList(many...)), "too many"},
		"an entry that is no object": {as(first, `{"data":["x"]}`), "no certificates"},
		"encrypted with another key": {as(first, entry(first.serial, "x"+keyV3[1:], first.pem())), "not encrypted with the merchant's key"},
		"another serial number":      {as(first, entry(second.serial, keyV3, first.pem())), "another serial number"},
		"no PEM":                     {as(first, entry(first.serial, keyV3, "certificate")), "not PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			w := certified(t, first)
			w.change(func() { w.onFetch = c.answer })
			err := query(t, w)
			require.ErrorIs(t, err, payment.ErrWalletBadResponse)
			require.ErrorContains(t, err, c.wrong)
			assertDiscreet(t, err)
		})
	}
}

func TestPAY10_an_expired_certificate_signs_no_list(t *testing.T) {
	expired, second := firstCertificate(), secondCertificate()
	expired.until = noon.Add(-time.Hour)
	w := certified(t, second)
	w.change(func() { w.certificates = []testCertificate{expired, second} }) // it is in the list itself
	require.ErrorIs(t, query(t, w), payment.ErrWalletBadResponse)

	first := firstCertificate()
	w = certified(t, first, second)
	require.NoError(t, query(t, w))
	w.change(func() { w.certificates, w.now = []testCertificate{second}, first.until.Add(time.Hour) }) // it was known
	require.ErrorIs(t, query(t, w), payment.ErrWalletBadResponse)
	w.change(func() { w.signedBy, w.now = second, w.now.Add(retryPause) })
	require.NoError(t, query(t, w))
}

func TestPAY10_few_notifications_wait_for_the_certificates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := firstCertificate()
		answer := make(chan struct{})
		p := fetching(c, time.Minute, answer)
		var waiting sync.WaitGroup
		for range maxWaiting {
			waiting.Go(func() {
				_, err := p.findNotified(t.Context(), c.serial)
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		_, err := p.findNotified(t.Context(), c.serial)
		require.ErrorIs(t, err, errTooMany)
		waiting.Go(func() {
			_, err := p.find(t.Context(), c.serial)
			assert.NoError(t, err, "an answer to the program's own request waits all the same")
		})
		synctest.Wait()
		close(answer)
		waiting.Wait()
		_, err = p.findNotified(t.Context(), c.serial)
		require.NoError(t, err)
	})
}

func TestPAY13_certificates_that_do_not_come(t *testing.T) {
	w := newWalletV3For(t, func(s *wallet.Settings) {
		byCertificates(s)
		s.Deadline = 100 * time.Millisecond
	})
	w.answers = []http.HandlerFunc{w.unpaidAs(firstCertificate()), w.unpaidAs(firstCertificate())}
	w.change(func() { w.onFetch = hangs })
	assertOnly(t, payment.ErrWalletTimeout, query(t, w))
	assertOnly(t, payment.ErrWalletTimeout, query(t, w)) // it gets the failure of the fetch before its own deadline
}
