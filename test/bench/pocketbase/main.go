// Command pocketbase is a PocketBase that answers some requests of the benchmark as Plaza does, from collections
// of its own, and knows no others. It is a module of its own, so that Plaza does not depend on PocketBase.
//
//	pocketbase serve --dir FOLDER
//
// The folder is new: the collections are made in it, and the benchmark fills their tables. The address is free, on
// this machine, and printed.
package main

import (
	"fmt"
	"log"
	"net"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
)

func main() {
	app := pocketbase.NewWithConfig(pocketbase.Config{HideStartBanner: true})
	app.OnServe().BindFunc(serve)
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// serve makes the collections and adds the routes.
func serve(e *core.ServeEvent) error {
	if err := createCollections(e.App); err != nil {
		return err
	}
	var err error
	if e.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	e.InstallerFunc = nil // there is no superuser, and no browser to open
	e.Router.GET("/api/feed/items/{category}/{$}", feedItems)
	e.Router.GET("/api/user/user-image/{$}", images)
	e.Router.POST("/api/user/user-simple-info/{$}", simpleInfo)
	if err := e.Next(); err != nil {
		return err
	}
	_, err = fmt.Printf("Listening at http://%s\n", e.Listener.Addr())
	return err
}
