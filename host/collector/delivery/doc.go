// Package delivery sends what waits in a lane's outbox until nothing is due, the host wants
// a pause, or a bound of the Policy is reached (collector contract, section 3).
//
// Rows come from storage's outbox by lease; the client sends each, and what came of it is
// written down before the next. It collects nothing.
package delivery
