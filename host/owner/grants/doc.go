// Package grants has what an owner can do about who reads: list the requests of apps, look at
// one and at what it would get by the owner's choices, approve or refuse it, and list, show
// and revoke what was granted (RD-42, RD-43, RD-50, RD-54).
//
// An owner approves the review that was made last, named by its revision, and nothing else.
// The words of an app are told apart from what this host enforces (RD-42.3).
package grants
