package config

// Source kinds, lowest precedence first.
const (
	FromDefault = "default"
	FromFile    = "file"
	FromEnv     = "env"
	FromFlag    = "flag"
)

// Origin is the source of a value.
type Origin struct {
	Kind string `json:"kind"`           // FromDefault, FromFile, FromEnv or FromFlag
	Name string `json:"name,omitempty"` // the file, the variable or the flag
}

// String returns "default", or the kind with its name, as in "env PDPP_DATA_DIR".
func (o Origin) String() string {
	if o.Name == "" {
		return o.Kind
	}
	return o.Kind + " " + o.Name
}
