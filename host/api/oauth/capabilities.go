package oauth

import "github.com/pdpp-host/pdpp-host/host/read"

// readable says what readers can do besides reading page by page.
type readable struct {
	Lexical lexical `json:"lexical_retrieval"`
}

// lexical says how a search is asked for (RD-27.7). There are no scores, and it advertises none.
type lexical struct {
	Supported    bool   `json:"supported"`
	Endpoint     string `json:"endpoint"`
	CrossStream  bool   `json:"cross_stream"`
	Snippets     bool   `json:"snippets"`
	DefaultLimit int    `json:"default_limit"`
	MostLimit    int    `json:"max_limit"`
}

var searches = readable{lexical{Supported: true, Endpoint: "/v1/search", CrossStream: true, Snippets: true, DefaultLimit: read.DefaultLimit, MostLimit: read.MostLimit}}
