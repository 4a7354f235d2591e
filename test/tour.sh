#!/bin/sh
# A tour of the interface on the demo data. Start a server with `make run`, then run `sh test/tour.sh`.
# Each step prints its status and a heading. A status that is not the expected one is marked, and the
# tour then ends with status 1.
#
#   API=http://127.0.0.1:8080   the server
#   MESSAGES=http://127.0.0.1:8090/sms/   where the demo shows the codes that it would send
#   BODIES=yes                  print the body of every response as well
#   WAIT=yes                    wait until another code can be sent to a number, 65 seconds

API=${API:-http://127.0.0.1:8080}
MESSAGES=${MESSAGES:-http://127.0.0.1:8090/sms/}
JSON='Content-Type: application/json'
DOT=R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7 # a picture of one pixel, in base64
body=$(mktemp)
failed=0

# step STATUS HEADING CURL-ARGUMENTS sends a request and compares the status. The body is in $body.
step() {
  expected=$1 heading=$2
  shift 2
  status=$(curl -s --max-time 30 -o "$body" -w '%{http_code}' "$@")
  if [ "$status" = "$expected" ]; then
    printf '%s  %s\n' "$status" "$heading"
  else
    printf '%s  %s: FAILED, expected %s\n' "$status" "$heading" "$expected"
    cat "$body"
    failed=1
  fi
  if [ -n "$BODIES" ]; then
    cat "$body"
    echo
  fi
}

# text NAME prints the first text of that name in the last body; number NAME the first number.
text() { sed -n "s/^[^}]*\"$1\":\"\([^\"]*\)\".*/\1/p" "$body"; }
number() { sed -n "s/^[^}]*\"$1\":\([0-9]*\).*/\1/p" "$body"; }

# login USERNAME HEADING logs in; $token is the header of later requests.
login() {
  step 200 "$2" "$API/api/auth/login/" -H "$JSON" -d "{\"username\": \"$1\", \"password\": \"plaza-demo\"}"
  token="Authorization: Token $(text key)"
}

echo '== People'
login +86-13800000001 '沈予安 logs in (uid 1)' && AN=$token
login +86-13800000002 '顾清, a contact of uid 1, logs in (uid 2)' && QING=$token
login +34-600000003 'Inés, who is no contact of uid 1, logs in (uid 3)' && INES=$token
login +1-2025550104 'Nora of the back office logs in (uid 4)' && NORA=$token
step 200 'Two people by their uid; no token is needed' "$API/api/user/user-simple-info/" -H "$JSON" -d '{"uid": [3, 1]}'
step 200 "The caller's own profile" "$API/api/user/profile/" -H "$AN"
step 200 'A new avatar, kept in three sizes' -X PUT "$API/api/user/avatar/" -H "$INES" -H "$JSON" -d "{\"avatar\": \"$DOT\"}"

echo '== Joining and leaving'
PHONE=+86-137$(printf %08d $((($(date +%s) + $$) % 100000000))) # another one in each tour
# code prints the newest code that was sent to the number.
code() {
  until curl -s "${MESSAGES}messages.json?to=%2B$(echo "$PHONE" | tr -d +-)" | grep '"code"'; do sleep 1; done |
    sed 's/^[^}]*"code":"\([^"]*\)".*/\1/'
}
account() {
  echo "{\"username\": \"$PHONE\", \"code\": \"$(code)\", \"password\": \"a walk by the west lake\", \"firstname\": \"西\", \"lastname\": \"林\"}"
}
step 202 'A stranger asks for a code, which the demo shows instead of sending it' "$API/api/auth/code/" -H "$JSON" \
  -d "{\"username\": \"$PHONE\", \"purpose\": \"sign_up\"}"
step 201 'The stranger joins with the code' "$API/api/auth/sign-up/" -H "$JSON" -d "$(account)"
LIN="Authorization: Token $(text key)"
step 400 'A code is good once' "$API/api/auth/sign-up/" -H "$JSON" -d "$(account)"
step 200 'The profile is filled in' -X PATCH "$API/api/user/profile/" -H "$LIN" -H "$JSON" -d '{"location": "杭州"}'
step 400 'Leaving takes a code of its own' "$API/api/user/erase/" -H "$LIN" -H "$JSON" \
  -d "{\"password\": \"a walk by the west lake\", \"code\": \"$(code)\"}"
step 429 'Another code can be sent to the number after 65 seconds' "$API/api/auth/code/" -H "$LIN" -H "$JSON" -d '{"purpose": "erase"}'
if [ -n "$WAIT" ]; then
  sleep 65
  step 202 'They ask for it then' "$API/api/auth/code/" -H "$LIN" -H "$JSON" -d '{"purpose": "erase"}'
  until [ "$(curl -s "${MESSAGES}messages.json?to=%2B$(echo "$PHONE" | tr -d +-)" | grep -c '"purpose":"erase"')" = 1 ]; do sleep 1; done
  step 204 'The stranger leaves' "$API/api/user/erase/" -H "$LIN" -H "$JSON" \
    -d "{\"password\": \"a walk by the west lake\", \"code\": \"$(code)\"}"
  step 401 'Nothing is left of the account' "$API/api/user/profile/" -H "$LIN"
fi

echo '== A diary'
step 200 'The newest five events of the caller, drafts included' "$API/api/xfile/event/?page_size=5" -H "$AN"
step 200 'The same diary as a contact sees it' "$API/api/xfile/event/1/view-list/?page_size=1" -H "$QING"
step 200 'The same diary as a stranger sees it: a smaller total_count' "$API/api/xfile/event/1/view-list/?page_size=1" -H "$INES"
step 201 'A draft for contacts; its place is found in the text, its HTML is cleaned' "$API/api/xfile/event/" -H "$AN" -H "$JSON" \
  -d '{"title": "雨后的西湖", "content": "在杭州市西湖区走了一圈。", "html_content": "<p onclick=x()>雨后</p>", "view_permission": 100}'
EVENT=$(number id)
step 201 'A picture for it' "$API/api/xfile/plate/" -H "$AN" -H "$JSON" -d "{\"event\": $EVENT, \"photo\": \"$DOT\"}"
step 404 'A contact cannot see a draft' "$API/api/xfile/event/$EVENT/" -H "$QING"
step 200 'The author publishes it' -X PATCH "$API/api/xfile/event/$EVENT/" -H "$AN" -H "$JSON" -d '{"publish": true}'
step 200 'Now the contact can see it' "$API/api/xfile/event/$EVENT/" -H "$QING"
step 404 'A stranger cannot' "$API/api/xfile/event/$EVENT/" -H "$INES"
step 201 'The contact comments on it' "$API/api/activity/comment/" -H "$QING" -H "$JSON" -d "{\"event\": $EVENT, \"content\": \"下次叫上我。\"}"
step 200 'And edits the comment' -X PATCH "$API/api/activity/comment/$(number id)/" -H "$QING" -H "$JSON" -d "{\"content\": \"下次也叫上我。\"}"
step 204 'The contact likes it' -X PUT "$API/api/activity/like/$EVENT/" -H "$QING"
step 400 'One response names every wrong field' "$API/api/xfile/event/" -H "$AN" -H "$JSON" \
  -d '{"title": 7, "event_time": "yesterday", "view_permission": 5}'
step 204 'The author deletes it' -X DELETE "$API/api/xfile/event/$EVENT/" -H "$AN"

echo '== Community'
step 200 'What the people one follows have written, the newest first' "$API/api/xfile/event/following/?page_size=2" -H "$AN"
NEXT=$(sed 's/.*"next":"\([^"]*\)".*/\1/' "$body")
step 200 'The next page of it, behind the cursor of the last answer' "$API/api/xfile/event/following/?page_size=2&cursor=$NEXT" -H "$AN"
step 200 'The hearts of several events in one request' "$API/api/activity/like/?event=1,2,3" -H "$AN"
step 200 'People whose names begin with 顾' "$API/api/user/search/?name=%E9%A1%BE" -H "$INES"
step 201 'Inés follows 顾清' "$API/api/subscription/user-subscription/" -H "$INES" -H "$JSON" -d '{"followed_user": 2}'
FOLLOW=$(number id)
step 200 'Who follows 顾清; is_contact says whom she follows back' "$API/api/subscription/follower/?page_size=2" -H "$QING"
step 200 'She is told of it' "$API/api/user/notification/?page_size=1" -H "$QING"
step 204 'Now she has read everything up to it' -X PUT "$API/api/user/notification/read/" -H "$QING" -H "$JSON" -d "{\"up_to\": $(number id)}"
step 204 'Inés unfollows, which takes the notification along' -X DELETE "$API/api/subscription/user-subscription/$FOLLOW/" -H "$INES"
step 200 'The people and categories that the caller follows' "$API/api/subscription/user-subscription/" -H "$AN"

echo '== The home feed'
step 200 'The tree of categories' "$API/api/feed/categories/?type=publication,demand"
step 200 'Items without a category' "$API/api/feed/items/uncategory/?page_size=2"
step 200 'What has 绿茶 in its text; no token is needed' "$API/api/search/?q=%E7%BB%BF%E8%8C%B6&page_size=2"
step 200 'Publications with barro and prisa; case and accents make no difference' "$API/api/search/?q=PRISA+barro&kind=publication"
step 200 'A publication with its text and its translations' "$API/api/feed/item/publication/2/"
step 404 'One that is not published' "$API/api/feed/item/publication/15/"
step 200 'Help wanted within 5 km of the West Lake' "$API/api/feed/categories/?type=demand&lat=30.2741&lng=120.1551&within_distance=5"
step 200 'Publications for a reader of Spanish; the demo only marks the texts' \
  "$API/api/writing/bundle-data/get-publication-feed-items/?page_size=2" -H "$AN" -H 'x-language-locale: es'

echo '== Images'
step 200 "A user's tagged images; no token is needed" "$API/api/user/user-image/?uid=1"
step 201 'A new image' "$API/api/user/user-image/" -H "$AN" -H "$JSON" -d "{\"img\": \"$DOT\", \"tags\": [\"dot\"]}"
IMAGE=$(number id)
step 204 'The image is deleted' -X DELETE "$API/api/user/user-image/$IMAGE/" -H "$AN"

echo '== Orders'
step 201 'The back office makes an order of ¥9.90 for uid 1' "$API/api/pay-admin/v1/order/" -H "$NORA" -H "$JSON" \
  -d '{"user": 1, "subject": "Tea", "amount": 990, "currency": "CNY", "expires_in": 7200}'
ORDER=$(number id)
step 200 'The payer gets the content of a QR code' "$API/api/pay/order/pay/" -H "$AN" -H "$JSON" \
  -d "{\"pay_method\": 200, \"end_type\": 0, \"order_id\": $ORDER}"
step 303 'The payer pays at the wallet; a browser would show a page with a button' -X POST "$(text code_url)"
step 200 'The order; it becomes paid when the notification of the wallet arrives' "$API/api/pay/order/$ORDER/" -H "$AN"

echo '== The back office'
step 200 'Payments' "$API/api/pay-admin/v1/payment/?page_size=1" -H "$NORA"
step 200 'Imported how-tos' "$API/api/writing-admin/v1/imported-howto/?page_size=2" -H "$NORA"
step 403 'Other accounts may not see them' "$API/api/writing-admin/v1/imported-howto/" -H "$AN"
step 200 'The description of the interface' "$API/api/openapi.json"

echo '== Goodbye'
step 204 '顾清 logs out' -X POST "$API/api/auth/logout/" -H "$QING"
step 401 'The token has ended' "$API/api/user/profile/" -H "$QING"

rm -f "$body"
[ "$failed" = 0 ]
