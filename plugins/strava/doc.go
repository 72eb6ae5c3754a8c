// Command strava collects an athlete's activities from Strava, as the list of the API
// summarizes them.
//
// In: Strava's API v3. Out: the stream activities.
//
// A run lists all activities, two hundred a page, and emits each: the host writes the ones
// that have changed, and deletes those that the list no longer has. So an edit or a deletion
// is found, however old the activity is. The pages are numbered, so they shift when somebody
// adds or deletes an activity meanwhile: an activity is gone when two readings in a row have
// not met it (sdk/api, Settle). A page may be short without being the last; the list ends with
// an empty one. A run that is broken off goes on at its page, in the same enumeration.
//
// Strava counts the requests of an application in two windows, which the manifest declares:
// a hundred in a quarter of an hour and a thousand in a day. The host keeps to them, and to
// what the answers say of them.
//
// Left out: what only the detail of one activity has (description, calories, laps, segments,
// photos), because it takes a request for each of them.
package main
