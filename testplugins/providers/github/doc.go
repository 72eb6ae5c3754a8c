// Package github simulates the part of GitHub's REST API, version 2022-11-28, that
// lists the data of a token's owner: the user, repositories, stars, issues, searches
// for pull requests and their details, gists.
//
// It pages by Link, answers If-None-Match with 304, checks the token and the API
// version, counts the primary limit (5000 an hour, conditional answers not counted) and
// the search limit (30 a minute) on a clock that is passed in, and keeps every request.
// A search returns at most 1000 results, and can be made to time out
// (incomplete_results).
//
// In: requests, and changes by the test. Out: answers as documented. Faults come from
// package fault, before the routes and behind the log.
package github
