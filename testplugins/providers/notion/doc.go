// Package notion simulates the part of Notion's API, version 2025-09-03, that lists a
// workspace's pages and data sources: POST /v1/search, GET /v1/pages/{id}, GET
// /v1/data_sources/{id} and, for the token's owner, GET /v1/users/me.
//
// It also simulates: last_edited_time cut to the minute; a search that leaves out
// objects in the trash, objects no longer shared, and objects not indexed yet; cursors
// that name the next object (or, when asked, a position, which shifts while people
// work); the error object; three requests a second on average. Methods change the
// workspace; fields of Faults make the search misbehave. In: requests. Out: answers,
// and the list of requests for assertions.
package notion
