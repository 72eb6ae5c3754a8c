// Package browser drives a Chromium that is installed on the machine: one process for all
// tests of a test binary, and a profile of its own for each visitor, with cookies that no other
// one has. It downloads no browser. Where none is installed the tests are left out and say so;
// Required makes that a failure.
//
// Every page is watched. A message on the console, a report of the page's policy, a request
// that failed, and a request to an address that the visitor was not told of, each fail the
// test. All other addresses lead to a proxy that answers nothing and keeps what it was asked.
//
// Pages are driven by what a person sees: the names of links, buttons and fields. It works
// alike where the page's scripts are off.
package browser
