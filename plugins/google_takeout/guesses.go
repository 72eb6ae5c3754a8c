package main

import "github.com/pdpp-host/pdpp-host/sdk/jsonvalue"

// The members of a place, of a list of guesses what was done there, and of a guess:
// https://github.com/CarlosBergillos/LocationHistoryFormat. Exports until about 2017 have activitys and activities.
var (
	placeMembers = names("timestamp|timestampMs|latitudeE7|longitudeE7|accuracy|velocity|heading|altitude|verticalAccuracy|activity|activitys|source|deviceTag|" +
		"platform|platformType|locationMetadata|formFactor|serverTimestamp|serverTimestampMs|deviceTimestamp|deviceTimestampMs|batteryCharging|inferredLocation|" +
		"placeId|deviceDesignation|activeWifiScan|osLevel")
	guessesMembers = names("timestamp|timestampMs|activity|activities|extra|extras")
	guessMembers   = names("type|confidence")
)

// The names of the lists of guesses of a place, and of the guesses in such a list.
var (
	guessLists = []string{"activity", "activitys"}
	guessNames = []string{"activity", "activities"}
)

// guessed returns what was done at a place, "" if nothing says so. The likeliest comes first.
func guessed(place jsonvalue.Value) (kind string) {
	for _, list := range guessLists {
		for it := place.Get(list).Children(); it.Next(); {
			for _, name := range guessNames {
				for guess := it.Value().Get(name).Children(); guess.Next(); {
					if kind = guess.Value().Get("type").Str(); kind != "" {
						return kind
					}
				}
			}
		}
	}
	return ""
}

// unknownGuesses counts the members of a place's guesses that are not known.
func (r *run) unknownGuesses(place jsonvalue.Value) {
	for _, list := range guessLists {
		for it := place.Get(list).Children(); it.Next(); {
			r.siblings(streamLocations, "activity.", it.Value(), guessesMembers)
			for _, name := range guessNames {
				for guess := it.Value().Get(name).Children(); guess.Next(); {
					r.siblings(streamLocations, "activity.activity.", guess.Value(), guessMembers)
				}
			}
		}
	}
}
