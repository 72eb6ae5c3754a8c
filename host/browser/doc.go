// Package browser holds browsers for connectors whose sources have no other door. Acquire is
// the only way in which the project starts one (BR-01, RT-02): with a profile of its own, its
// sandbox on, every request paused at the gate, and the wall as its only way out. Nothing
// attaches to a browser, and none outlives its owner: there is no port, and its pipe is its
// life line.
//
// Binding is the browser of one run. Its HandOver gives a page to the run's owner, who acts on it
// by host/browser/handoff, until what the page is handed over for is done (BR-15).
//
// In: a program that host/browser/find has found, a profile's name, and two ports: an Admitter
// that lets requests go, and a Dialer that reaches hosts. Out: a browser whose gate has been
// proven, or the stable code of what is missing.
package browser
