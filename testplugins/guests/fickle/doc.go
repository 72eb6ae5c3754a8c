//go:build wasip1

// Command fickle is a guest that comes out differently each time it runs, as
// long as anything may change under it: it puts into its requests and records
// what it reads of both clocks, of the randomness, of the order of a map's keys,
// of a select among ready channels, of sleeps and timeouts, and of the order in
// which its answers arrive. A test that makes it repeatable has made all of them
// so.
//
// Its START's options say what it does besides:
//
//	requests N   http requests in flight at once; default 3
//	slot NAME    the credential slot that they name
//	base_url URL where they go; default https://api.example.com
//	ask          an INTERACTION of kind otp, whose answer becomes a record
//	token TEXT   becomes a record
//	sleep TIME   how long it sleeps; default 3ms
//	trap         it traps instead of DONE
package main
