// Package plugins has the commands of connectors: what is installed and accepted, and
// the kit of a connector's author. Those of an owner parse what was typed, call an
// operation of host/owner, and show the result; the kit reads no store.
package plugins
