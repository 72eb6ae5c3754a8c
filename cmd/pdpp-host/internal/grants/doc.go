// Package grants has the commands of who may read what: the requests of apps, what an app
// would get, the decision, and what was granted. Each parses what was typed, calls an
// operation of host/owner/grants, and shows the result.
//
// The words of an app stand apart from what this host enforces.
package grants
