// Package timezone has the zones of the IANA time zone database since 1990, for files that name a
// zone and do not define it: most calendars that a web service makes, and those of Windows.
//
// The table zones.txt is made from the database of the Go release in go.mod, as the test says: 40
// kB, since a module of TinyGo has no room for the 450 kB of time/tzdata, and a sandbox shows no
// zone data of its host. Before 1990, and where a zone follows no rule of the calendar after 2037,
// a zone gives no answer.
//
// In: the name of a zone, as files spell it: of IANA, of Windows (windows.txt, after CLDR), behind
// the prefix of a registry (RFC 5545, section 3.2.19), or an offset such as UTC+01:00. Out:
// offsets and instants.
package timezone
