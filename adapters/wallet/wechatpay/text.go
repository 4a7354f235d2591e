package wechatpay

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"plaza/domain/text"
)

const (
	digits   = "0123456789"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters  = "abcdefghijklmnopqrstuvwxyz" + capitals
)

// The wallet's times are Beijing's, which has had no summer time since the wallet exists. So
// no time zone database is needed.
var beijing = time.FixedZone("UTC+8", 8*60*60)

// consists reports whether the text has between one and the maximum of bytes, all of them among the
// characters.
func consists(s string, most int, characters string) bool {
	return s != "" && len(s) <= most && strings.Trim(s, characters) == ""
}

func isID(s string) bool { return consists(s, 32, letters+digits+"_") }

func isAddress(s string) bool {
	u, is := text.ServiceURL(s)
	return is && text.IsConfidential(u)
}

// printable replaces control characters, which no terminal shows and XML can't express, and invalid UTF-8. So the received
// text is the signed text. It also replaces characters of four bytes, such as emoji, which version 3 refuses.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		if r > 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// amountOf returns the amount in fen of a text of digits alone: without a sign, fraction or exponent.
func amountOf(s string) (int64, error) {
	amount, err := strconv.ParseInt(s, 10, 64)
	if err != nil || strings.Trim(s, digits) != "" {
		return 0, errors.New("no amount")
	}
	return amount, nil
}
