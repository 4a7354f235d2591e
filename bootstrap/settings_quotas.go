package bootstrap

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"

	"plaza/domain/quota"
)

// noQuota is the value of a quota without a limit, as 0 is.
const noQuota = "none"

// Quota is how many things of a kind an account may have. Zero is no limit.
type Quota int

// UnmarshalText parses a number or none.
func (q *Quota) UnmarshalText(text []byte) error {
	if *q = 0; string(text) == noQuota {
		return nil
	}
	n, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not a number like 1000, or %s", text, noQuota)
	}
	*q = Quota(n)
	return nil
}

// ByteQuota is how many bytes of a kind an account may have. Zero is no limit.
type ByteQuota int64

// UnmarshalText parses a size such as 10GiB, a number of bytes, or none.
func (q *ByteQuota) UnmarshalText(text []byte) error {
	if *q = 0; string(text) == noQuota {
		return nil
	}
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("%q is not a size like 10GiB, or %s", text, noQuota)
	}
	*q = ByteQuota(n)
	return nil
}

// quotas returns the quotas of an account, none if PLAZA_LIMITS turns them off.
func (c Config) quotas() quota.Limits {
	if c.Limits == limitsOff {
		return quota.Limits{}
	}
	return quota.Limits{Drafts: int(c.QuotaDrafts), Comments: int(c.QuotaComments), Pictures: int64(c.QuotaPictures)}
}
