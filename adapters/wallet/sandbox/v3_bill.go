package sandbox

import (
	"crypto/sha1"
	"fmt"
	"net/url"
	"time"
)

// maxBills is how many bills wait to be downloaded. One more replaces them all.
const maxBills = 16

// Fields of requests for a bill.
var (
	billFormV3   = form{limits{"bill_date": 10}, limits{"bill_type": 8, "tar_type": 8}}
	downloadForm = form{needed: limits{"token": 64}}
)

// tradeBill makes the bill of a day and answers with a link to it.
func (s *Server) tradeBill(r *request) (any, error) {
	text, err := s.bill(r, time.DateOnly)
	if err != nil {
		return nil, err
	}
	packed, err := r.packed(text)
	if err != nil {
		return nil, err
	}
	if r.trick.Do == BadHash {
		text = append(text, ' ')
	}
	origin := "http://" + r.Host
	if r.TLS != nil {
		origin = "https://" + r.Host
	}
	return object{
		"hash_type": "SHA1", "hash_value": fmt.Sprintf("%x", sha1.Sum(text)),
		"download_url": origin + "/v3/billdownload/file?token=" + url.QueryEscape(s.keepBill(packed)),
	}, nil
}

// keepBill returns the token with which the bill can be downloaded. The caller must hold the lock.
func (s *Server) keepBill(text []byte) (token string) {
	if len(s.bills) >= maxBills {
		clear(s.bills)
	}
	token = s.nonce(32)
	s.bills[token] = text
	return token
}

// downloadV3 answers with a bill, whose hash is in the answer with the link.
func (s *Server) downloadV3(r *request) (any, error) {
	text, there := s.bills[r.asked["token"]]
	if !there {
		return nil, refuseNoBill
	}
	return content(text), nil
}
