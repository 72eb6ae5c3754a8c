// Package invocation is what the programs have in common: the streams and the
// flags of one invocation, its logger and its printer, and how it ends.
package invocation
