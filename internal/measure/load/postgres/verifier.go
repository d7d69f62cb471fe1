package postgres

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// iterations is PostgreSQL's own default.
const iterations = 4096

// verifier returns what a server stores of a password (RFC 5803, as PostgreSQL writes it): the
// server can check the password with it, but it cannot be used to log in. So the password does not
// appear in statements, which could be logged or visible in the process list.
func verifier(password string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // it never fails
	return verifierOf(password, salt, iterations)
}

func verifierOf(password string, salt []byte, rounds int) string {
	// It fails only for lengths that a policy forbids, which this one is not.
	salted, _ := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	by := func(key []byte, words string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(words))
		return h.Sum(nil)
	}
	stored := sha256.Sum256(by(salted, "Client Key"))
	code := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", rounds, code(salt), code(stored[:]), code(by(salted, "Server Key")))
}
