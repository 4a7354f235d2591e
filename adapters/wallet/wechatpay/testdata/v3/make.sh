#!/bin/sh
# Makes the files of this folder with openssl, so that another program than the one under test has signed and encrypted.
# merchant-key.pem and wallet-key.pem are keys for tests alone: openssl genrsa -traditional 2048, and openssl genrsa 2048.
# Run it in this folder.
set -eu

nonce=593BEC0C930BF1AFEB40B4A08C8FB242
timestamp=1795176000 # 2026-11-20 12:00:00 UTC
serial=1DDE55AD98ED71D6EDD4A4A16996DE7B47773A8C
key_id=PUB_KEY_ID_0119000001092026112000000000000001

# sign KEY prints the signature of the standard input.
sign() { openssl dgst -sha256 -sign "$1" | openssl base64 -A; }

# request NAME METHOD URI BODY
request() {
	signature=$(printf '%s\n%s\n%s\n%s\n%s\n' "$2" "$3" $timestamp $nonce "$4" | sign merchant-key.pem)
	{
		printf '%s %s\nAccept: application/json\n' "$2" "$3"
		printf 'Authorization: WECHATPAY2-SHA256-RSA2048 mchid="1900000109",nonce_str="%s",timestamp="%s",serial_no="%s",signature="%s"\n' \
			$nonce $timestamp $serial "$signature"
		[ -z "$4" ] || printf 'Content-Type: application/json\n'
		printf 'User-Agent: Plaza\nWechatpay-Serial: %s\n\n%s\n' $key_id "$4"
	} >"$1.txt"
}

# order APPID MORE prints the body of an order.
order() {
	printf '%s' '{"appid":"'"$1"'","mchid":"1900000109","description":"茶 \u003cEarl\u003e \u0026 Grey'"'"'s ]]\u003e tea",'
	printf '%s' '"out_trade_no":"plaza-7_1|*","time_expire":"2026-11-20T22:00:00+08:00",'
	printf '%s' '"notify_url":"https://plaza.example/api/pay/notify/wallet/v3/","amount":{"total":990,"currency":"CNY"}'"$2"'}'
}

request native POST /v3/pay/transactions/native "$(order wxd930ea5d5a258f4f '')"
request app POST /v3/pay/transactions/app "$(order wx2421b1c4370ec43b '')"
request jsapi POST /v3/pay/transactions/jsapi "$(order wxd930ea5d5a258f4f ',"payer":{"openid":"oPayer00000000000000000000001"}')"
request h5 POST /v3/pay/transactions/h5 \
	"$(order wxd930ea5d5a258f4f ',"scene_info":{"payer_client_ip":"203.0.113.7","h5_info":{"type":"Wap"}}')"
request query GET '/v3/pay/transactions/out-trade-no/plaza-7_1%7C%2A?mchid=1900000109' ''
request close POST /v3/pay/transactions/out-trade-no/plaza-7_1%7C%2A/close '{"mchid":"1900000109"}'
request refund POST /v3/refund/domestic/refunds \
	'{"transaction_id":"4200000001","out_refund_no":"refund-7_1|*@","reason":"Cold \u003ctea\u003e","notify_url":"https://plaza.example/api/pay/notify/wallet/v3/","amount":{"refund":300,"total":990,"currency":"CNY"}}'
request refund-query GET /v3/refund/domestic/refunds/refund-7_1%7C%2A@ ''

# What the clients sign: four lines.
printf '%s\n' wxd930ea5d5a258f4f $timestamp $nonce prepay_id=wx20 | sign merchant-key.pem >client-jsapi.txt
printf '%s\n' wx2421b1c4370ec43b $timestamp $nonce wx20 | sign merchant-key.pem >client-app.txt

# Signatures of answers: with a body, and with an empty one.
openssl rsa -in wallet-key.pem -pubout -out wallet-public-key.pem 2>/dev/null
printf '%s\n' $timestamp n-1 '{"code_url":"weixin://wxpay/bizpayurl?pr=1"}' | sign wallet-key.pem >answer.txt
printf '%s\n' $timestamp n-1 '' | sign wallet-key.pem >answer-empty.txt
