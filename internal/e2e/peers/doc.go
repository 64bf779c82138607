// Package peers drives the built programs against programs by others: the
// public MCP servers, and the client suite of the protocol's own conformance
// tests. They are installed from .ci/peers; `make peers` does both.
package peers
