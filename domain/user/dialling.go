package user

import (
	"regexp"
	"slices"
	"strings"
)

// diallingCodes are the country codes of E.164 that are in use, as the ITU publishes them, networks of satellites and
// services among them. None begins with another, so a telephone has one dialling code.
var diallingCodes = strings.Fields(`
	1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66
	81 82 84 86 90 91 92 93 94 95 98
	211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239
	240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269
	290 291 297 298 299
	350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 381 382 383 385 386 387 389
	420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599
	670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692
	800 808 850 852 853 855 856 870 878 880 881 882 883 886 888
	960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 992 993 994 995 996 998`)

// zeroCodes are the dialling codes behind which numbers may begin with 0. Elsewhere a leading 0 is dialled only within
// the country.
var zeroCodes = []string{"39", "225", "242", "378"}

// IsDiallingCode reports whether the digits are a dialling code in use.
func IsDiallingCode(digits string) bool { return slices.Contains(diallingCodes, digits) }

// DiallingCode returns the dialling code that the digits of the number begin with, wherever the dash is. It is empty if
// none is in use, and for a number that is none.
func (p Phone) DiallingCode() string {
	digits := strings.TrimPrefix(p.E164(), "+")
	for length := 1; length <= min(3, len(digits)); length++ {
		if IsDiallingCode(digits[:length]) {
			return digits[:length]
		}
	}
	return ""
}

// mainlandMobile matches the mobile numbers of mainland China behind their dialling code, 86.
var mainlandMobile = regexp.MustCompile(`^1[3-9][0-9]{9}$`)

// MessageProblem returns the fault of a number to which no message may be sent, or nil. It judges the digits as a
// provider of SMS reads them, wherever the dash is (AUT-15). Behind 86 only mobile numbers pass: providers may take other
// digits there, such as those of a number abroad, for a number of another country.
func (p Phone) MessageProblem() error {
	code := p.DiallingCode()
	number := strings.TrimPrefix(p.E164(), "+"+code)
	if err := problemOf(code, number); err != nil {
		return err
	}
	if code == "86" && !mainlandMobile.MatchString(number) {
		return ErrNoMobile
	}
	return nil
}
