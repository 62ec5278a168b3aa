# Where people start. Every target makes .venv and installs what it needs by itself.

.PHONY: help demo up down flower backup restore rotate-keys test test-browser check bench conformance clients fuzz doctor

help:
	@echo "make demo    from a fresh clone to an agent's finished card; stays until Ctrl-C (ONCE=1: ends)"
	@echo "make up      start BakedBrie on the data of earlier starts; stays until Ctrl-C"
	@echo "make down    stop what runs in another shell"
	@echo "make flower  show operators which job which worker has, at /admin/flower/; stays until Ctrl-C"
	@echo "make backup  save database, files and keys, while it runs (TO=file, KEYS=none)"
	@echo "make restore restore a backup into an empty data folder (FROM=file, KEYS=file or none)"
	@echo "make rotate-keys   change the key that seals secrets; BakedBrie must not run"
	@echo "make test    run the tests (ARGS=... goes to pytest)"
	@echo "make test-browser  run the pages in Chromium, on a desktop and on a phone (ARGS=... goes to pytest)"
	@echo "make doctor  say what is wrong with this instance, and how to mend it (WHAT=mcp: whether assistants can connect)"
	@echo "make bench   turns beside no-op jobs, the board page beside its SQL and beside turns, a request_id, REST and MCP beside bare servers, 200 reviews beside their SQL, 45 MB delivered"
	@echo "make conformance   the protocol's own scenarios and the Inspector against an instance of ours"
	@echo "make clients       Claude Code and Codex, as npm has them, against an instance of ours (800 MB)"
	@echo "make fuzz    made-up calls of the REST API, until one fails (EXAMPLES=... for each address and round)"
	@echo "make check   lint, types, import contracts, sizes, migrations, templates, dependencies"

demo:
	@ONCE=$(ONCE) scripts/demo

up down flower rotate-keys check conformance clients fuzz:
	@scripts/$@

doctor:
	@scripts/doctor $(WHAT)

backup:
	@TO="$(TO)" KEYS="$(KEYS)" scripts/backup

restore:
	@FROM="$(FROM)" KEYS="$(KEYS)" scripts/restore

test:
	@scripts/test $(ARGS)

test-browser:
	@scripts/test-browser $(ARGS)

bench:
	@scripts/setup dev
	@.venv/bin/python -m bench.move_to_claimed
	@.venv/bin/python -m bench.turns_per_second
	@.venv/bin/python -W ignore -m bench.board_page
	@.venv/bin/python -W ignore -m bench.request_id
	@.venv/bin/python -W ignore -m bench.rest_read
	@.venv/bin/python -W ignore -m bench.mcp_read
	@.venv/bin/python -W ignore -m bench.reviews_listed
	@.venv/bin/python -W ignore -m bench.large_delivery
