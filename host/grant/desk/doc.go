// Package desk keeps who asks for what, and what became of it: clients and their requests
// (request.go), the wait of a client for its owner (await.go), the review and the decision
// (decide.go), the tokens that codes and refresh tokens lead to (redeem.go, device.go), and who a token
// lets read what (admit.go), and what was read (ledger.go). Clock and randomness are passed in.
//
// A token of a waiting client is derived from the code that it polls with and a key of this
// host's. So its hash is known before there is a token, an approval keeps both in one
// transaction, and a lost answer is given again, while the store has hashes alone (RD-48).
//
// It knows no HTTP and no owner: host/api/oauth answers clients, and host/owner/grants owners.
package desk
