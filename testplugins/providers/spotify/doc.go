// Package spotify simulates the part of Spotify's Web API that reads a library, /v1/me,
// /v1/me/playlists, /v1/me/tracks, /v1/me/top/artists and
// /v1/me/player/recently-played, and the accounts service's token endpoint, /api/token,
// for a public client (PKCE).
//
// It also simulates: paging by offset, which shifts when the library changes; the 50
// plays that are kept and no more; access tokens that live an hour and refresh tokens
// that are valid once; the error objects of both; the field names before and after the
// changes of February 2026. Methods change the library; fields of Faults make paging
// misbehave. In: requests. Out: answers, and the list of requests for assertions.
package spotify
