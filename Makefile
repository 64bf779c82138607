GOLANGCI := v2.15.0
BIN := $(CURDIR)/.bin
LINT := $(BIN)/golangci-lint
FUZZTIME ?= 10s
PEERS := .ci/peers/node_modules/.package-lock.json

.PHONY: build test race lint fmt fuzz bench check tidy docs init peers
build: ## both programs, static, into ./bin
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/ ./cmd/...
test:
	go test ./...
race:
	go test -race -shuffle=on ./...
$(LINT):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)
lint: $(LINT)
	$(LINT) run --build-tags peers ./...
fmt: $(LINT)
	$(LINT) fmt ./...
fuzz: ## each fuzz target for FUZZTIME
	@.ci/fuzz $(FUZZTIME)
bench: build ## ratios to the floors in bench/, paired in one run
	go run ./bench $(BENCH)
tidy:
	go mod tidy -diff
init: build ## no package of agsh may take 2 ms to initialise; the least of five runs, as others use the machine too
	@for i in 1 2 3 4 5; do GODEBUG=inittrace=1 ./bin/agsh --version 2>&1 >/dev/null; done | awk '$$1=="init" && (!($$2 in least) || $$5<least[$$2]) {least[$$2]=$$5} END {for (p in least) if (least[p]>2) {print "slow init:", p, least[p], "ms"; bad=1}; exit bad}'
docs: build ## run the examples of README and docs
	go test -count=1 -run '^TestDocs$$' ./internal/e2e
$(PEERS): .ci/peers/package-lock.json
	cd .ci/peers && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
peers: $(PEERS) ## both programs with MCP servers and the conformance tests by others
	go test -count=1 -tags peers ./internal/e2e/peers
check: $(LINT)
	@test -z "$$($(LINT) fmt --diff ./... | tee /dev/stderr)" || (echo 'run make fmt'; exit 1)
	$(MAKE) tidy lint race fuzz docs init
