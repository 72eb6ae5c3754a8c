// Package apps has the pages of who may read what: the apps that ask, what one asks for and
// would get, the decision, and what was granted.
//
// The words of an app stand in a quotation, apart from what the host enforces, and in no
// sentence of the host (RD-42.3). A decision takes two pages: the first
// chooses, the second shows exactly what an approval gives, and approves that alone.
package apps
