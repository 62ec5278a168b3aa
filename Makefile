# Where people start. Every target makes .venv and installs what it needs by itself.

.PHONY: help demo up down test check bench

help:
	@echo "make demo    from a fresh clone to an agent's finished card; stays until Ctrl-C (ONCE=1: ends)"
	@echo "make up      start BakedBrie on the data of earlier starts; stays until Ctrl-C"
	@echo "make down    stop what runs in another shell"
	@echo "make test    run the tests (ARGS=... goes to pytest)"
	@echo "make bench   turns beside no-op jobs, the board page beside its SQL"
	@echo "make check   lint, types, import contracts, sizes, migrations, templates, dependencies"

demo:
	@ONCE=$(ONCE) scripts/demo

up down check:
	@scripts/$@

test:
	@scripts/test $(ARGS)

bench:
	@scripts/setup dev
	@.venv/bin/python -m bench.move_to_claimed
	@.venv/bin/python -m bench.turns_per_second
	@.venv/bin/python -W ignore -m bench.board_page
