// Package replay runs a send governor on a virtual clock: it reads JSON Lines and
// writes the governor's actions. `pdpp-host debug governor` is built on it. It tests a
// sequence from a provider or from the specification without a provider and without
// waiting, and sends nothing.
package replay
