// Command oapi-codegen logs in, uploads a picture with two tags, follows a user, and prints how many pictures have both
// tags and how many subscriptions there are, by the client that oapi-codegen made.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"generated/oapi-codegen/client"
)

func main() {
	ctx := context.Background()
	key := ""
	plaza, err := client.NewClientWithResponses(os.Getenv("PLAZA"), client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		return nil
	}))
	check(err)
	entered, err := plaza.LoginWithResponse(ctx, client.Login{Username: os.Getenv("USERNAME"), Password: os.Getenv("PASSWORD")})
	check(err)
	key = entered.JSON200.Data.Key
	me, err := plaza.ProfileWithResponse(ctx)
	check(err)
	tags := client.Tags{"夜", "西湖"}
	made, err := plaza.CreateImageWithResponse(ctx, &client.CreateImageParams{}, client.NewImage{Img: os.Getenv("PICTURE"), Tags: &tags})
	check(err)
	if made.JSON201 == nil {
		panic(string(made.Body))
	}
	other, err := strconv.ParseInt(os.Getenv("OTHER"), 10, 64)
	check(err)
	var follow client.NewSubscription
	check(follow.FromNewUserSubscription(client.NewUserSubscription{FollowedUser: other}))
	_, err = plaza.SubscribeWithResponse(ctx, &client.SubscribeParams{}, follow)
	check(err)
	both, err := plaza.ListImagesWithResponse(ctx, &client.ListImagesParams{Uid: me.JSON200.Data.Uid, TagsContains: &tags})
	check(err)
	subscriptions, err := plaza.ListSubscriptionsWithResponse(ctx, &client.ListSubscriptionsParams{})
	check(err)
	user, err := subscriptions.JSON200.Data[0].User.AsSimpleUserInfo()
	check(err)
	fmt.Println(len(both.JSON200.Data), len(subscriptions.JSON200.Data), user.Uid == me.JSON200.Data.Uid)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
