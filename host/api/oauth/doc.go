// Package oauth answers the programs that ask an owner for a grant: what this host is
// (discovery.go), registration (register.go), pushed requests and the browser's way to the
// owner's page, or a device's (authorize.go), the wait for the owner's decision (connect.go), and tokens
// (token.go), of RD-38, RD-39, RD-41, RD-44 to RD-47 and RD-50.
//
// One table has the routes (routes.go). A request passes, in this order: the host's name, the
// path and its method, where it comes from, how many came before it, the body. Nobody is
// signed in here: a program's request waits for its owner, whom host/console and
// cmd/pdpp-host ask. It decides nothing: host/grant/desk does.
package oauth
