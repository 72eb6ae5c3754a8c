// Package profile has the folders in which browsers keep what they are signed in to: one for
// each connection, for one run at a time (BR-02, RT-04). Beside them
// are the sessions that end with a browser, sealed, and what was captured of pages (captures.go).
//
// In: the folder of profiles and a profile's name. Out: the folder, held by a lock that ends
// with this process, without the links of a browser that is gone. Nothing outside the folder
// of profiles is touched: a link in the place of a profile is refused.
package profile
