package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY08_signatures_are_the_published_ones(t *testing.T) {
	const other = "qazwsxedcrfvtgbyhnujmikolp111111"
	published := fields{
		"appid": "wxd930ea5d5a258f4f", "body": "test", "device_info": "1000", "mch_id": "10000100",
		"nonce_str": "ibuaiVcKdpRxkhJA",
	}
	for _, c := range []struct {
		f              fields
		key, how, want string
	}{
		{published, key, md5Sign, "9A0A8659F005D6984697E2CA0A9CF3B7"},
		{published, key, "", "9A0A8659F005D6984697E2CA0A9CF3B7"},
		{with(published, fields{"sign": "x", "empty": ""}), key, md5Sign, "9A0A8659F005D6984697E2CA0A9CF3B7"},
		{published, key, hmacSign, "6A9AE1657590FD6257D693A078E1C3E4BB6BA4DC30B23E0EE2496E54170DACD6"},
		{fields{
			"appId": "wxd678efh567hg6787", "nonceStr": "5K8264ILTKCH16CQ2502SI8ZNMTM67VS", "signType": "MD5",
			"package": "prepay_id=wx2017033010242291fcfe0db70013231072", "timeStamp": "1490840662",
		}, other, md5Sign, "22D9B4E54AB1950F51E0649E8810ACD6"},
	} {
		got, err := sign(c.f, c.key, c.how)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	_, err := sign(published, key, "hmac-sha256")
	assert.Error(t, err)
}

func TestXML_that_could_be_read_in_two_ways_is_refused(t *testing.T) {
	for _, text := range []string{
		"", "x", "<xml>", "<xml><a>1</a>", "<xml><a>1</b></xml>", "<other></other>",
		"<xml><a>1</a><a>1</a></xml>", "<xml><a><b>1</b></a></xml>", "<xml></xml><xml></xml>", "<xml></xml>x",
		"<xml x=\"1\"></xml>", "<xml><a x=\"1\">1</a></xml>", "<xml xmlns=\"u\"></xml>", "<xml><n:a>1</n:a></xml>",
		"<!DOCTYPE xml [<!ENTITY e \"1\">]><xml><a>&e;</a></xml>", "<!DOCTYPE xml><xml></xml>", "<xml><a>&e;</a></xml>",
		"<xml><!-- c --></xml>", "<xml><a>1<!-- c -->2</a></xml>", "<xml><?p?></xml>", "<?p?><xml></xml>",
		"<?xml version=\"1.0\"?><?xml version=\"1.0\"?><xml></xml>", "<xml></xml><!-- c -->", "<xml>x<a>1</a></xml>",
		"<?xml version=\"1.0\" encoding=\"GBK\"?><xml></xml>", "<xml><a>\xff</a></xml>",
		"<xml>" + tooMany() + "</xml>",
	} {
		_, err := parse([]byte(text))
		assert.ErrorIs(t, err, errXML, text)
	}
}

func FuzzXML(f *testing.F) {
	for _, text := range []string{
		"<xml><a>1 &lt; <![CDATA[]]]]><![CDATA[>]]></a>&#13;</xml>", "<xml/>", "", "<xml><a>1</a><a>2</a></xml>", "<xml><a b=\"1\">1</a></xml>", "<xml><a><b>1</b></a></xml>", `<!DOCTYPE x [<!ENTITY a "1">]><xml><a>&a;</a></xml>`,
		`<?xml version="1.0" encoding="GBK"?><xml><a>1</a></xml>`, "<xml><a>\xff</a></xml>", "<xml><a>\x00</a></xml>", "<xml><a>1</a></xml><xml/>", "<html/>", "<xml><a>&#0;</a></xml>", tooMany(),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parse([]byte(text))
		if err != nil {
			return
		}
		again, err := parse(render("xml", got))
		require.NoError(t, err)
		assert.Equal(t, got, again)
	})
}

func tooMany() string {
	var b strings.Builder
	for i := range maxFields + 1 {
		name := "a" + strings.Repeat("b", i)
		b.WriteString("<" + name + "></" + name + ">")
	}
	return b.String()
}
