package passkey

import (
	"encoding/json"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// algorithms are those that devices have: the first on nearly all of them, the last on TPMs.
var algorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

// product names this host where a device lists its keys.
const product = "pdpp"

// MakeOptions are what a browser has a device make a key with, as JSON. Handle names the owner
// to the device, which keeps one key for each; known are the keys that it must not have.
func MakeOptions(p Party, challenge, handle []byte, known [][]byte) ([]byte, error) {
	yes := true
	o := protocol.PublicKeyCredentialCreationOptions{
		RelyingParty: protocol.RelyingPartyEntity{ID: p.ID, CredentialEntity: protocol.CredentialEntity{Name: product}},
		User: protocol.UserEntity{
			ID: protocol.URLEncodedBase64(handle), DisplayName: product + " at " + p.ID, CredentialEntity: protocol.CredentialEntity{Name: p.ID},
		},
		Challenge: challenge, Parameters: algorithms, Timeout: int(Life.Milliseconds()), Attestation: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: &yes, ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	}
	for _, id := range known {
		o.CredentialExcludeList = append(o.CredentialExcludeList, protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType, CredentialID: id})
	}
	return json.Marshal(o)
}

// UseOptions are what a browser has a device use a key with, as JSON. The device finds it.
func UseOptions(p Party, challenge []byte) ([]byte, error) {
	return json.Marshal(protocol.PublicKeyCredentialRequestOptions{
		Challenge: challenge, Timeout: int(Life.Milliseconds()), RelyingPartyID: p.ID, UserVerification: protocol.VerificationRequired,
	})
}
