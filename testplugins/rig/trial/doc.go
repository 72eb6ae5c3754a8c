// Package trial is what the tests of the connectors of this tree share beyond
// sdktest: the judge of their records, a clock that a test moves, and the runs
// that most of their stories are told with.
//
// What a provider's model looks like, and what a connector makes of it, lives
// beside the connector: two stories that read alike are of two models, and
// change when their own does.
package trial
