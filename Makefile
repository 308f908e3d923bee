# The two commands that matter are `make run` and `make test`; `make help` lists the others.

SWIFT_FLAGS = --explicit-target-dependency-import-check error
RELEASE = swift build -c release $(SWIFT_FLAGS) -Xswiftc -cross-module-optimization --product rostrum
CONFIG ?= Config/dev.json

.PHONY: run test soak bench bench-peers lint format fuzz build load packages screenshot clean help

run: build ## build in release, start the server with Config/dev.json, print the link to open
	@.build/release/rostrum serve --config $(CONFIG)

test: ## install what tests need, run every test, end with a line that says how many passed
	@Tests/run

soak: ## the same checks as `make test`, the long versions
	@Tests/run --soak

lint: ## formatting and the rules that the compiler does not know
	@Tests/lint

format: ## format all Swift sources in place
	@swift format -i -r Package.swift Sources Tests Benchmarks

fuzz: packages ## fuzz every parser for a minute each
	@Tests/Fuzz/run 60

bench: build ## measure what forwarding costs, beside what sending costs at the least
	@$(RELEASE)-load
	@$(RELEASE)-bench
	@Benchmarks/run $(BENCH)

bench-peers: build ## put the same loads on Debian's Janus, and compare
	@deploy/install-packages peers
	@$(RELEASE)-load
	@Benchmarks/peers $(BENCH)

build: packages ## build the server in release
	@$(RELEASE)

load: build ## put load on a server of its own, write pages with the results into .artifacts
	@$(RELEASE)-load
	@Config/load/run

packages:
	@deploy/install-packages build

screenshot: build ## make the README's pictures anew
	@$(RELEASE)-load
	@Tests/EndToEnd/run --screenshot

clean: ## remove everything that was built
	@rm -rf .build .venv .artifacts

help:
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort
