package bootstrap

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether the input or output is a terminal.
func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// greets reports whether serve greets on the output: people read a terminal, and programs that
// read JSON read all that is printed.
func (c Config) greets(out any) bool { return isTerminal(out) && c.LogFormat != "json" }

// greet prints the URLs of the server and, with the demo data, a first request. Programs find
// the addresses in the log.
func greet(w io.Writer, l *Listeners, c Config, withDemo bool) {
	fmt.Fprintf(w, `Plaza %s
  REST interface  %[2]s
  API reference   %[2]s/docs/
  API document    %[2]s/api/openapi.json
  Health          %[3]s/readyz
`, thisBuild(), l.URL(), l.AdminURL())
	if c.usesSandbox() {
		fmt.Fprintf(w, "  Wallet sandbox  %s/\n", c.WalletURL)
	}
	if withDemo {
		fmt.Fprintf(w, `
Demo accounts +86-13800000001, +86-13800000002, +34-600000003 and +1-2025550104 (back office),
all with the password plaza-demo. To try the interface, open %[1]s/docs/ in a browser. A first request:

  curl -s %[1]s/api/auth/login/ -H 'Content-Type: application/json' \
    -d '{"username": "+86-13800000001", "password": "plaza-demo"}'

`, l.URL())
	}
}
