package wire

import "reflect"

// Route describes one method of one path, for the document of the API.
type Route struct {
	Method, Path, Summary string
	Scope                 string       // of a token of the owner's; "": it takes none of them
	Open                  bool         // who asks shows no token
	Browser               bool         // a browser in which the owner is signed in asks, and no token does
	Params                []Param      // of the query and of the head
	In                    reflect.Type // of a body of JSON; nil: it takes none
	Form                  []Param      // of a form; nil: it takes none
	Lax                   bool         // members of the body that it does not know are passed over
	Answers               []Answer     // of a success
	Failure               reflect.Type // of an error; nil: Envelope
	Foreign               bool         // a library writes its errors
	Tagged                bool         // its answer has an ETag
	Secret                bool         // its answer has a credential
}

// Answer is one way in which a route succeeds.
type Answer struct {
	Status int
	Out    reflect.Type // of a body of JSON; nil: there is none
	Media  string       // of a body that is none of JSON; "": there is none
}

// OK is the answer 200 with a body of that type.
func OK[Out any]() []Answer { return Succeeds[Out](200) }

// Succeeds is an answer with a body of that type.
func Succeeds[Out any](status int) []Answer {
	return []Answer{{Status: status, Out: reflect.TypeFor[Out]()}}
}

// Param describes a parameter of a query, of a form or of the head.
type Param struct {
	Name, About string
	Required    bool
	Header      bool
	Deep        bool // its members stand in brackets
	Schema      map[string]any
}
