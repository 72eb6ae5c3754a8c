// Package replay records the messages between a guest and its host in one run, and
// runs the guest again over the recording: without a network or an owner, with the
// recording's clock, call by call and byte for byte. Recordings are the fixtures of
// connector tests.
//
// A Recorder is placed between a guest and the Host of a run. It makes the guest
// deterministic (plugin.Determinism), removes secrets from an answer before the guest
// sees it, and writes one JSON line for each call and each answer, in order. A Tape
// reads such a file back strictly, since its origin is unknown. Play compares a guest
// with it; Update writes a new one from its answers.
//
// Inputs other than calls are not recorded: a run that may read files is refused.
package replay
