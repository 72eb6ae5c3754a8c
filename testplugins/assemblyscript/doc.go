// Package assemblyscript holds connectors in a language without an SDK here:
// raw speaks the bare host calls, extism goes through @extism/as-pdk. Their
// modules are committed; build.sh makes them, and the tests build them again
// where npm is, and compare. The tests run both end to end, and make the Extism
// one reach for what Extism offers and this host does not.
package assemblyscript
