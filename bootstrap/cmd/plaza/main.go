// Command plaza is the whole program: the server and its tools.
package main

import (
	"os"
	_ "time/tzdata" // people live in time zones, also where the machine knows none

	"plaza/bootstrap"
)

func main() { os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, os.Stderr)) }
