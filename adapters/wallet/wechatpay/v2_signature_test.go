package wechatpay

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/secret"
)

func TestPAY08_the_published_vectors(t *testing.T) {
	order := xmlMessage{
		"appid": official, "body": "test", "device_info": "1000", "mch_id": merchantV2, "nonce_str": "ibuaiVcKdpRxkhJA",
		"attach": "", "sign": "whatever",
	}
	browser := xmlMessage{
		"appId": "wxd678efh567hg6787", "nonceStr": nonceV2, "package": "prepay_id=wx2017033010242291fcfe0db70013231072",
		"signType": "MD5", "timeStamp": "1490840662",
	}
	app := xmlMessage{
		"appid": official, "noncestr": nonceV2, "package": "Sign=WXPay", "partnerid": merchantV2,
		"prepayid": "wx201410272009395522657a690389285100", "timestamp": "1412000000",
	}
	for _, c := range []struct {
		signed xmlMessage
		key    string
		way    signType
		want   string
	}{
		{order, keyV2, md5Sum, "9A0A8659F005D6984697E2CA0A9CF3B7"},
		{order, keyV2, hmacSHA256, "6A9AE1657590FD6257D693A078E1C3E4BB6BA4DC30B23E0EE2496E54170DACD6"},
		{browser, "qazwsxedcrfvtgbyhnujmikolp111111", md5Sum, "22D9B4E54AB1950F51E0649E8810ACD6"},
		{app, keyV2, md5Sum, "2919569F617B3B20A0A9E632811185FD"},
		{app, keyV2, hmacSHA256, "05F33CA98485F5AA2FFA3F80752FDA2E34FDA943E8112F190511EFE3B963F932"},
	} {
		assert.Equal(t, c.want, c.signed.signature(secret.New(c.key), c.way))
	}
}

func TestPAY10_the_named_way_to_sign_is_the_only_one(t *testing.T) {
	for named, ways := range map[string]map[string]bool{
		"HMAC-SHA256": {"HMAC": true, "MD5": false}, "MD5": {"HMAC": false, "MD5": true},
		"RSA": {"HMAC": false, "MD5": false}, "": {"HMAC": true, "MD5": true},
	} {
		for way, right := range ways {
			t.Run(fmt.Sprintf("%s by %s", named, way), func(t *testing.T) {
				m, err := parseXML([]byte(writtenV2(otherSignV2(way, mergedV2([]any{"sign_type", named})))), "xml")
				require.NoError(t, err)
				_, err = m.verify(secret.New(keyV2))
				assert.Equal(t, right, err == nil)
			})
		}
	}
}
