// Package strava simulates the part of Strava's API v3 that lists an athlete's activities:
// /api/v3/athlete, /api/v3/athlete/activities, and the token endpoint, /api/v3/oauth/token.
//
// It also simulates: pages by number, which shift when an activity is added or deleted, and
// which may be short without being the last; access tokens that live six hours, and refresh
// tokens that are replaced by each renewal; the limits of an application, which begin anew at
// each quarter of an hour and at midnight (UTC), with their headers; the error objects.
// Methods change the activities. In: requests. Out: answers, and the list of requests for
// assertions.
package strava
