# `make demo` and `make test` do all the set-up by themselves; done once, it takes no time.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long check

help: ## these lines
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST))

setup: ## virtual environment, locked dependencies, Chromium
	@scripts/setup

demo: setup ## the whole job on the demo sites; no key, no network
	@.venv/bin/tam demo

test: setup ## the tests but the long ones; a real Chromium among them
	@scripts/test -m "not long"

test-long: setup ## the tests that take longer
	@scripts/test -m long

check: setup ## lint, format, types, direction of imports
	@scripts/check
