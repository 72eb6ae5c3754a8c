package wire

import "reflect"

// Route describes a path that is read by GET, for the document of the API.
type Route struct {
	Path, Summary string
	Params        []Param
	Out           reflect.Type // of the answer
}

// Param describes a parameter of its query.
type Param struct {
	Name, About string
	Required    bool
	Schema      map[string]any
}
