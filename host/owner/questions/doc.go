// Package questions has what an owner can do about the questions of running runs: list
// them, read one, answer it, decline it. Parked is the asker of a run that nobody watches:
// it keeps the question in the store and waits for the answer from any face (OC-18).
//
// A question's words are its connector's. They come out of here bounded, without control
// characters, as a quotation beside the connector's name and the host's own warning, and
// stand in no sentence of the host (OC-18.4). An answer is sealed from the moment it is
// given until the run takes it, and is in no event, log or error. Of which
// kind an answer is, host/interact says for every face.
package questions
