package session_test

import (
	"testing"

	"agsh.dev/internal/session"
)

func TestTokenIsOfItsSessionAndGeneration(t *testing.T) {
	key, err := session.NewTokenKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	token := key.Token("ses_1", 1)
	// Fixed: tokens must outlive the program that made them.
	if want := "ct_26YFurkDKd0Wu1CADTG4oShR9HY_yamQuxo1mk5DMC8"; token != want {
		t.Errorf("Token = %q, want %q", token, want)
	}
	for _, tt := range []struct {
		token, session string
		generation     int64
		want           bool
	}{
		{token, "ses_1", 1, true},
		{token, "ses_1", 2, false},
		{token, "ses_2", 1, false},
		{token + "x", "ses_1", 1, false},
		{"", "ses_1", 1, false},
	} {
		if got := key.Verify(tt.token, tt.session, tt.generation); got != tt.want {
			t.Errorf("Verify(%q, %s, %d) = %v, want %v", tt.token, tt.session, tt.generation, got, tt.want)
		}
	}
	other, err := session.NewTokenKey([]byte("another key with thirty-two byte"))
	if err != nil {
		t.Fatal(err)
	}
	if other.Verify(token, "ses_1", 1) {
		t.Error("another key verifies the token")
	}
	if !session.HashOf(token, session.Hash(token)) || session.HashOf(token, session.Hash("x")) || session.HashOf("", "") {
		t.Error("HashOf does not tell a token's hash from another")
	}
	if _, err := session.NewTokenKey(make([]byte, 31)); err == nil {
		t.Error("a key of 31 bytes was accepted")
	}
}
