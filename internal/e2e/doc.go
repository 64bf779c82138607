// Package e2e drives the two built programs the way their users do: scripts
// in testdata/script, real processes, real sockets, real terminals.
package e2e
