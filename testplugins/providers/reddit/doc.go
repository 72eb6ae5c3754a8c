// Package reddit simulates the part of Reddit's API that lists what a person wrote, saved,
// voted on and hid: /api/v1/me, /user/NAME/submitted and its siblings, and the token endpoint,
// /api/v1/access_token.
//
// It also simulates: listings that are paged by the name of the last entry and have a thousand
// entries at most; the empty page behind an entry that is no longer in the list; texts in HTML
// entities where raw_json is not asked for; access tokens that live an hour, and a refresh
// token that stays; the limit of requests in ten minutes with its headers; the error objects.
// Methods change the lists. In: requests. Out: answers, and the list of requests for
// assertions.
package reddit
