package ownerapi

import (
	"net/http"
	"slices"
	"strings"
)

// control says which actions this host takes, as other hosts' programs ask for them
// (RD-53.1).
type control struct {
	Object      string   `json:"object"` // owner_agent_control_surface
	Scope       string   `json:"scope"`
	Entrypoint  string   `json:"entrypoint"`
	RefusesMCP  bool     `json:"mcp_owner_bearer_rejected"`
	Description string   `json:"description_url"`
	Actions     []action `json:"actions"`
}

// action is one thing that a program can do, or that only its owner does.
type action struct {
	Family string  `json:"family"`
	Status string  `json:"status"` // supported; owner_mediated: in a browser of the owner's; unsupported
	Method *string `json:"method"` // null: it is not supported
	URL    *string `json:"url"`    // likewise
	Reason string  `json:"reason"`
}

const (
	supported     = "supported"
	ownerMediated = "owner_mediated"
	unsupported   = "unsupported"
)

// families are the names by which other hosts' programs know a route. Any other one has the noun
// of its path.
var families = map[string]string{
	"GET /control":                                  "discover_control_capabilities",
	"GET /connector-templates":                      "list_connector_templates",
	"GET /connections":                              "list_connections",
	"POST /connections/intents":                     "initiate_connection",
	"PATCH /connections/{connection}":               "rename_connection",
	"POST /connections/{connection}/run":            "run_connection",
	"POST /connections/{connection}/schedule/pause": "manage_schedule",
	"GET /connections/{connection}/health":          "inspect_diagnostics",
	"DELETE /connections/{connection}":              "delete_connection",
	"POST /connections/{connection}/revoke":         "revoke_connection",
}

// notOnDevice are those that this host does not do for what a device runs.
var notOnDevice = []string{"run_connection", "manage_schedule", "revoke_connection"}

func (r *route) family() string {
	if name := families[r.method+" "+strings.TrimPrefix(r.path, Prefix)]; name != "" {
		return name
	}
	return familyOf(r.path)
}

// actionOf is what a program can do by a route: its URL begins with base.
func (r *route) actionOf(base string) action {
	if r.browser {
		return action{r.family(), ownerMediated, nil, nil, r.summary + ": in a browser in which the owner is signed in"}
	}
	url := base + strings.ReplaceAll(r.path, "{connection}", "{connection_id}")
	return action{r.family(), supported, &r.method, &url, r.summary}
}

func (c *call) showControl() (*control, error) {
	base := c.Guard.Base(c.r)
	out := &control{
		Object: "owner_agent_control_surface", Scope: "reference_implementation", Entrypoint: base + Prefix + "/control", RefusesMCP: true,
		Description: base + PathDocument, Actions: []action{},
	}
	for i := range c.table {
		out.Actions = append(out.Actions, c.table[i].actionOf(base))
	}
	return out, nil
}

// actionsOn are what a program can do with one connection, by the families that other hosts know.
func (c *call) actionsOn(id string, onDevice bool) (all []action) {
	base := c.Guard.Base(c.r)
	for i := range c.table {
		rt := &c.table[i]
		if name := families[rt.method+" "+strings.TrimPrefix(rt.path, Prefix)]; name == "" || !strings.Contains(rt.path, "{connection}") {
			continue
		}
		a := rt.actionOf(base)
		url := strings.Replace(*a.URL, "{connection_id}", id, 1)
		a.URL = &url
		if onDevice && slices.Contains(notOnDevice, a.Family) {
			a = action{a.Family, unsupported, nil, nil, "a device runs it"}
		}
		all = append(all, a)
	}
	return all
}

// actionsOnTemplate are what a program can do with an installed connector.
func (c *call) actionsOnTemplate() []action {
	for i := range c.table {
		if rt := &c.table[i]; rt.method == http.MethodPost && rt.path == Prefix+pathIntents {
			return []action{rt.actionOf(c.Guard.Base(c.r))}
		}
	}
	return []action{}
}
