// Package gate pauses each request of a browser before it goes out, and lets it go when its
// port Admitter says so (BR-07). It is shut before the first page exists, for the whole
// browser: pages, frames, workers and popups have no other way. WebSockets go past it, and end
// at the wall.
//
// In: pauses, from a line. Out: requests that go on, or fail in the page. That the gate holds is
// proven with a request to a host that does not exist: it must be paused, and not reach the wall.
package gate
