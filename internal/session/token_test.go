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
	other, err := session.NewTokenKey([]byte("another key with thirty-two byte"))
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]string{
		"the next generation": key.Token("ses_1", 2),
		"another session":     key.Token("ses_2", 1),
		"another key":         other.Token("ses_1", 1),
	} {
		if got == token {
			t.Errorf("%s has the same token", what)
		}
	}
	if got, want := session.Hash("x"), "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"; got != want {
		t.Errorf("Hash(x) = %s, want %s", got, want)
	}
	if _, err := session.NewTokenKey(make([]byte, 31)); err == nil {
		t.Error("a key of 31 bytes was accepted")
	}
}
