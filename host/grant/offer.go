package grant

import "slices"

// Offer is what an owner can give of one source.
type Offer struct {
	Connector   string         `json:"connector"` // its key
	Name        string         `json:"name"`
	Connections []OfferedPlace `json:"connections"`
	Streams     []Offered      `json:"streams"`
}

// OfferedPlace is a connection that can be chosen.
type OfferedPlace struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Offered is a stream that can be given.
type Offered struct {
	Name      string   `json:"name"`
	Needed    bool     `json:"needed"` // the client asks for nothing without it
	Fields    []string `json:"fields"`
	Always    []string `json:"always"` // of the fields, those that every record has
	TimeField string   `json:"time_field,omitempty"`
	Records   string   `json:"records"` // those that are asked for, in words
}

// Offers returns what an owner can give for a request: what it asks for, or, where its owner
// chooses, all there is. Of a request that nothing fits there are none.
func Offers(q *Request, have []Declared) []Offer {
	if q.Details != nil && Check(q.Details, have) != nil {
		return nil
	}
	if q.Details != nil {
		have = sourcesOf(q.Details.Source.ID, have)
	}
	var offers []Offer
	for i := range have {
		by := &have[i]
		if len(by.Connections) == 0 {
			continue
		}
		asked, err := q.asked(by)
		if err != nil {
			continue // its other connections have it
		}
		n := slices.IndexFunc(offers, func(o Offer) bool { return o.Connector == by.Key })
		if n < 0 {
			n = len(offers)
			offers = append(offers, Offer{Connector: by.Key, Name: by.Name})
			for k := range asked {
				offers[n].Streams = append(offers[n].Streams, asked[k].offered())
			}
		}
		for _, c := range by.Connections {
			offers[n].Connections = append(offers[n].Connections, OfferedPlace{c.ID, c.Name})
		}
	}
	return offers
}

func (w *wanted) offered() Offered {
	o := Offered{Name: w.Name, Needed: !w.optional, Fields: w.Fields, Always: chosenFields(w.declared, nil), Records: w.records()}
	if hasTime(w.declared) {
		o.TimeField = w.declared.ConsentTimeField
	}
	return o
}
