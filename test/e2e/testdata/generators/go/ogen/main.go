// Command ogen does the same as the command oapi-codegen by the client that ogen made, which checks each answer against
// its schema.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"

	"generated/ogen/client"

	ht "github.com/ogen-go/ogen/http"
	"github.com/ogen-go/ogen/ogenerrors"
)

// key is what the login returned.
type key struct{ text string }

func (k *key) Bearer(context.Context, client.OperationName) (client.Bearer, error) {
	return client.Bearer{Token: k.text}, nil
}

func (k *key) Token(context.Context, client.OperationName) (client.Token, error) {
	return client.Token{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	ctx := context.Background()
	var held key
	plaza, err := client.NewClient(os.Getenv("PLAZA"), &held)
	check(err)
	entered := of[*client.LoginOKHeaders](plaza.Login(ctx, &client.Login{Username: client.Phone(os.Getenv("USERNAME")), Password: os.Getenv("PASSWORD")}))
	held.text = entered.Response.Data.Key
	me := of[*client.ProfileOKHeaders](plaza.Profile(ctx)).Response.Data
	picture, err := base64.StdEncoding.DecodeString(os.Getenv("PICTURE"))
	check(err)
	of[*client.CreateImageCreatedHeaders](plaza.CreateImage(ctx, &client.NewImageFormMultipart{
		Img: ht.MultipartFile{Name: "lake.gif", File: bytes.NewReader(picture)}, Tags: client.Tags{"夜", "西湖"},
	}, client.CreateImageParams{}))
	other, err := strconv.ParseInt(os.Getenv("OTHER"), 10, 64)
	check(err)
	_, err = plaza.Subscribe(ctx, client.NewNewUserSubscriptionNewSubscription(client.NewUserSubscription{FollowedUser: client.ID(other)}), client.SubscribeParams{})
	check(err)
	both := of[*client.ImagesHeaders](plaza.ListImages(ctx, client.ListImagesParams{UID: me.UID, TagsContains: []string{"夜", "西湖"}}))
	byID := client.ListSubscriptionsParams{UIDOnly: client.NewOptString("1")}
	subscriptions := of[*client.SubscriptionPageHeaders](plaza.ListSubscriptions(ctx, byID)).Response.Data
	uid, _ := subscriptions[0].User.GetID()
	fmt.Println(len(both.Response.Data), len(subscriptions), uid == me.UID)
}

// of returns the answer if it is of the type.
func of[T any](answer any, err error) T {
	check(err)
	wanted, is := answer.(T)
	if !is {
		panic(fmt.Sprintf("%T %+v", answer, answer))
	}
	return wanted
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
