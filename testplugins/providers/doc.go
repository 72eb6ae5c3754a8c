// Command providers serves one simulated provider with generated data, on the
// clock of the machine: for people who want to see a connector at work, and for
// trying out what it does when its provider fails.
//
//	go run ./testplugins/providers github --seed 7 --faults throttle=5,reset=1
//
// It prints its address, the token that it accepts, and the lines that point a
// host at it. Below it lies one package for each service that a first-party
// connector reads, package sample, which fills them, package fault, by which
// they fail, and package logbook, in which they keep what they were asked.
//
// A simulation answers as the service's public documents say: paths, paging,
// limits, headers, errors. It is an http.Handler, so that a test hands it to
// sdktest or puts it behind a server and points base_url there. Its data is
// changed by methods (add, edit, delete), its clock and randomness are passed
// in, and it keeps every request for assertions.
//
// Not here: anything that sends, and anything that knows a connector.
package main
