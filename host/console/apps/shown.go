package apps

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

// ends are when a grant can end.
var ends = []struct{ choice, label string }{{"", words.AppUsual}, {"1d", words.AppDay}, {"90d", words.AppQuarter}, {grant.Never, words.AppNever}}

// heading says who asks for what: a device that is to speak for its owner asks for more than to read.
func heading(r *grants.Looked) string {
	if r.Wants == grants.WantsOwnerToken {
		return ui.Safe(r.Name()) + " " + words.DeviceAsksTitle
	}
	return ui.Safe(r.Name()) + " " + words.AppAsksTitle
}

// asksOften is an app with more than one request that waits.
type asksOften struct {
	id, name string
	n        int
}

// oftenAsking returns the apps of which more than one request waits, but for one that all are of: those are refused
// with all.
func oftenAsking(asking []grants.Request) (out []asksOften) {
	for i := range asking {
		r := &asking[i]
		at := slices.IndexFunc(out, func(a asksOften) bool { return a.id == r.ClientID })
		if at < 0 {
			at = len(out)
			out = append(out, asksOften{id: r.ClientID, name: r.Name()})
		}
		out[at].n++
	}
	return slices.DeleteFunc(out, func(a asksOften) bool { return a.n == 1 || a.n == len(asking) })
}

// key is what the form calls a stream.
func key(offer, stream int) string { return strconv.Itoa(offer) + "-" + strconv.Itoa(stream) }

// safe joins names that somebody else chose.
func safe(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = ui.Safe(name)
	}
	return strings.Join(all, ", ")
}

// streamsOf names the streams of a grant.
func streamsOf(g *grant.Words) string {
	names := make([]string, len(g.Streams))
	for i := range g.Streams {
		names[i] = g.Streams[i].Stream
	}
	return safe(names)
}

func always(o *grant.Offered, field string) bool { return slices.Contains(o.Always, field) }

// timed reports whether any stream that is offered can be bounded by a time.
func timed(r *grants.Looked) bool {
	for i := range r.Offers {
		for k := range r.Offers[i].Streams {
			if r.Offers[i].Streams[k].TimeField != "" {
				return true
			}
		}
	}
	return false
}

// several reports whether there is a connection to be chosen.
func several(r *grants.Looked) bool {
	n := 0
	for i := range r.Offers {
		n += len(r.Offers[i].Connections)
	}
	return n > 1 || r.Asks == nil
}

// trains reports whether an app asks to train models.
func trains(r *grants.Looked) bool { return r.Asks != nil && grant.Trains(r.Asks.PurposeCode) }
