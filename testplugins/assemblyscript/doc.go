// Package assemblyscript contains connectors in a language without an SDK here: raw
// uses the bare host calls, extism goes through @extism/as-pdk. Their modules are
// committed; build.sh makes them, and the tests build them again where npm is, and
// compare. The tests run both end to end, and make the Extism one try the features of
// Extism that this host does not offer.
package assemblyscript
