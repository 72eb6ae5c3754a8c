// Package api is for a connector that asks a provider's HTTP API.
//
// A connector declares its Provider (address, credential, headers) and a Table of streams;
// Collect asks whose account it is, collects one stream after the other, and reports those that
// fail; the Lane of a stream with details recovers before them and ends behind them. A list of
// the provider is read with a Pager, page by page: NextLink, LinkHeader, Cursor, Offset and
// PageNumber are the ways in which providers number pages. Pages refuses a page that came
// before, a link that leads away from the API, a list that does not end, and an answer that is
// not a list, that says of itself that it failed (Check), or that lacks a member by which the list
// goes on: none of them passes for the end of the list, with which every later record would
// seem deleted. Of says what the status of an answer means for one object, and Settle when a
// list that shifts while it is read is known as a whole.
//
// In: answers of the provider, which are hostile. Out: requests that the host sends, paces
// and repeats, and failures with the codes KEY_malformed_response, KEY_answer_failed,
// KEY_list_incomplete, KEY_paging_cycle and KEY_next_refused, where KEY is the connector's key.
// The option base_url replaces the provider's address; the host checks it before the run begins.
// A stream that is one list of the provider's is a List: it is read to its end, and the host deletes what is gone. Not
// here: what the records are made of.
package api
