package sandbox

import (
	"crypto/sha1"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"
)

// Limits of bills that wait to be downloaded.
const (
	linkLife = 5 * time.Minute
	maxBills = 16
)

// storedBill is a bill that can be downloaded for a while.
type storedBill struct {
	content []byte
	until   time.Time
}

// tradeBill makes the bill of a day and answers with a link to it.
func (s *Server) tradeBill(r v3Request) (string, func(Trick) (any, error), error) {
	query := r.URL.Query()
	return "", func(trick Trick) (any, error) {
		text, err := s.bill(time.DateOnly, query.Get("bill_date"), query.Get("bill_type"), trick)
		if err != nil {
			return nil, err
		}
		content, err := packed(text, query.Get("tar_type"))
		if err != nil {
			return nil, err
		}
		if trick == BadHash {
			text = append(text, ' ')
		}
		return object{
			"hash_type": "SHA1", "hash_value": fmt.Sprintf("%x", sha1.Sum(text)),
			"download_url": hostOf(r) + "/v3/billdownload/file?token=" + url.QueryEscape(s.keepBill(content)),
		}, nil
	}, r.hasQueryOr([]string{"bill_type", "tar_type"}, "bill_date")
}

// hostOf returns the origin under which the merchant reaches the wallet.
func hostOf(r v3Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// keepBill returns the token with which the bill can be downloaded.
func (s *Server) keepBill(content []byte) (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	maps.DeleteFunc(s.bills, func(_ string, b storedBill) bool { return !now.Before(b.until) })
	if len(s.bills) >= maxBills {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(s.bills)), func(a, b string) int {
			return s.bills[a].until.Compare(s.bills[b].until)
		})
		delete(s.bills, oldest)
	}
	token = s.nonce(32)
	s.bills[token] = storedBill{content, now.Add(linkLife)}
	return token
}

// download answers with a bill, which has no signature: its hash is in the answer with the link.
func (s *Server) download(r v3Request) (string, func(Trick) (any, error), error) {
	return "", func(Trick) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		b, there := s.bills[r.URL.Query().Get("token")]
		if !there || !s.now().Before(b.until) {
			return nil, refuseNoBill
		}
		return unsigned(b.content), nil
	}, r.hasQuery("token")
}
