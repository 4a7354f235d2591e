// Package transport reads requests and writes responses: connections and their pace, bodies and
// uploads, queries, compression, CORS, errors, lists that are streamed, the log, traces and limits
// by address. It knows no use case; a handler of package httpapi gets a Call and returns a Reply.
//
// Everything that a client may make grow has a bound here, over all requests of the process
// (GEN-14), and what a client sends too slowly, or reads too slowly, is cut off.
package transport
