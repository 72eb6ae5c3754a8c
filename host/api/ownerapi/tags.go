package ownerapi

import (
	"maps"
	"slices"
)

// tagDescriptions says what the operations of each tag are about.
var tagDescriptions = map[string]string{ //nolint:gosec // no secret is a sentence
	"agent-connect":         "How an app that no browser can lead back to asks for access.",
	"audit":                 "What owners changed, and what they were refused.",
	"blobs":                 "Files that belong to records.",
	"clients":               "Apps that made themselves known.",
	"connections":           "Sources of an owner's data, with their health, schedules, credentials and records.",
	"connector-templates":   "Connectors that are installed.",
	"connectors":            "The connectors of an app's grant.",
	"consent":               "What the page does on which an owner decides on an app's request.",
	"control":               "Which actions the host takes.",
	"device-codes":          "Codes that a device shows its owner.",
	"device-invitations":    "Invitations of collectors that run elsewhere.",
	"devices":               "Collectors that run elsewhere and deliver to this host.",
	"disclosures":           "Which records were read, by whom and when.",
	"doctor":                "A check of the whole installation.",
	"events":                "What changes, as it happens.",
	"grant-refusals":        "Requests that are refused together.",
	"grant-requests":        "What apps ask for until the owner has decided.",
	"grants":                "What apps may read.",
	"handoffs":              "Pages of browsers that runs have handed to their owner.",
	"index":                 "Where a program begins.",
	"interactions":          "Questions of runs, by the name that other hosts use.",
	"introspect":            "What a token stands for.",
	"mcp":                   "The tools of the Model Context Protocol.",
	"notification-channels": "Where an owner is told what a connection needs.",
	"notification-settings": "When an owner is told.",
	"oauth":                 "How apps register, ask for access and get tokens.",
	"openapi":               "This description.",
	"passkeys":              "Keys with which an owner signs in.",
	"questions":             "What runs ask their owner.",
	"runs":                  "What was collected, when, and what is missing.",
	"schema":                "The schemas of an app's streams.",
	"search":                "Records by the words in them.",
	"sessions":              "Browsers in which the owner is signed in.",
	"settings":              "The settings of the host.",
	"status":                "How all connections are.",
	"streams":               "Streams of records, and the records themselves.",
	"tokens":                "Tokens of programs that speak for the owner.",
	"well-known":            "What clients look up before they ask for access.",
}

// tagsOf describes the tags of the operations of some paths.
func tagsOf(paths object) []object {
	used := map[string]bool{}
	for _, path := range paths {
		for _, op := range path.(object) { //nolint:forcetypeassert // Document made them
			used[op.(object)["tags"].([]string)[0]] = true //nolint:forcetypeassert // likewise
		}
	}
	tags := []object{}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		tags = append(tags, object{"name": name, "description": tagDescriptions[name]})
	}
	return tags
}
