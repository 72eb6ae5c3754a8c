// Package notion simulates the part of Notion's API, version 2022-06-28, by
// which a workspace's pages and databases are listed: POST /v1/search, GET
// /v1/pages/{id}, GET /v1/databases/{id} and, for whose token it is, GET
// /v1/users/me.
//
// What is simulated with it: last_edited_time cut to the minute; a search that
// leaves out what is in the trash, what is no longer shared, and what is not
// indexed yet; cursors that name the next object (or, when asked, a position,
// which shifts while somebody works); the error object; three requests a second
// on average. Methods change the workspace; fields of Faults make the search
// behave as it should not. In: requests. Out: answers, and the list of requests
// for assertions.
package notion
