// Package trial is what the connectors' tests share beyond sdktest: the check of their
// records, a clock that a test moves, and the runs of most tests.
//
// A provider's model, and a connector's use of it, are beside the connector: two tests
// that read alike concern two models, and change when their own does.
package trial
