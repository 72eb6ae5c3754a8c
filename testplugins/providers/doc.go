// Command providers serves one simulated provider with generated data, on the
// clock of the machine: for people who want to see a connector at work, and for
// trying out what it does when its provider fails.
//
//	go run ./testplugins/providers github --seed 7 --faults throttle=5,reset=1
//
// It prints its address, the token that it accepts, and the lines that point a
// host at it. Below it lies one package for each service that a first-party
// connector reads, package sample, which fills them, package fault, which makes
// them fail, and package logbook, which records their requests.
//
// A simulation answers as the service's public documents say: paths, paging,
// limits, headers, errors. It is an http.Handler, so that a test hands it to
// sdktest or puts it behind a server and points base_url there. Its data is
// changed by methods (add, edit, delete), its clock and randomness are passed
// in, and it keeps every request for assertions.
//
// Not here: code that sends requests or knows a connector.
package main
