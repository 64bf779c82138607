package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
)

// A TokenKey derives continuation tokens. The token of a session can be made
// again at any time for who may see it, while the store keeps only its hash.
type TokenKey [32]byte

// NewTokenKey returns the key with these 32 bytes.
func NewTokenKey(b []byte) (TokenKey, error) {
	var k TokenKey
	if len(b) != len(k) {
		return k, fmt.Errorf("token key: got %d bytes, want %d", len(b), len(k))
	}
	copy(k[:], b)
	return k, nil
}

// Token returns the token of a session's generation, see [State.Generation].
// The first one is generation 1.
func (k TokenKey) Token(session string, generation int64) string {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(session + "\n" + strconv.FormatInt(generation, 10)))
	return "ct_" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Hash returns the SHA-256 of a token in lower-case hex: what is stored of it.
func Hash(token string) string {
	return sum([]byte(token))
}
