package sample

import (
	"github.com/pdpp-host/pdpp-host/testplugins/providers/strava"
)

// StravaVariables are the secrets of a Strava account made with a token.
func StravaVariables(token string) map[string]string {
	return map[string]string{
		"STRAVA_ACCESS_TOKEN": token, "STRAVA_REFRESH_TOKEN": token + "-refresh", "STRAVA_CLIENT_ID": "simulated-client", "STRAVA_CLIENT_SECRET": token + "-client",
	}
}

// Strava returns an account with activities, numbered from 1, the newest first.
func Strava(o Options) *strava.Provider {
	m := newMaker(o)
	secrets := StravaVariables(o.Token)
	p := strava.New(strava.Options{
		Token: o.Token, RefreshToken: secrets["STRAVA_REFRESH_TOKEN"], ClientID: secrets["STRAVA_CLIENT_ID"], ClientSecret: secrets["STRAVA_CLIENT_SECRET"],
		Now: o.Now, Expire: true, Limit: o.Limit,
	})
	sports := []string{"Run", "Ride", "Swim", "Hike"}
	for i := range m.size {
		p.Add(&strava.Activity{
			ID: int64(i + 1), Name: m.title(), Sport: sports[m.IntN(len(sports))], Start: m.ago(i), Distance: float64(m.IntN(400000)) / 10, Kudos: m.IntN(30),
		})
	}
	return p
}
