// Package replay records what passes between a guest and its host in one run,
// and runs the guest again over the recording: with no network, nobody to ask
// and no clock but the recording's, call by call and byte for byte. Recordings
// are the fixtures of connector tests.
//
// A Recorder stands between a guest and the Host of a run. It makes the guest
// deterministic (plugin.Determinism), takes what is secret out of an answer
// before the guest sees it, and writes one JSON line for each call and each
// answer, in order. A Tape reads such a file back, strictly: it may come from
// anywhere. Play compares a guest with it; Update writes a new one from its
// answers.
//
// What lies outside of the calls is not recorded: a run that may read files is
// refused.
package replay
