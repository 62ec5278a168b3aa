"""Whether anybody has an account on an embedded install, asked of its database."""

from __future__ import annotations

import psycopg

from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.postgres import OWNER, PORT, socket_folder_of


def has_accounts(folder: DataFolder) -> bool:
    host = str(socket_folder_of(folder.postgres))
    with psycopg.connect(host=host, port=PORT, user=OWNER, dbname=OWNER) as connection:
        row = connection.execute("SELECT EXISTS (SELECT FROM workspaces_user)").fetchone()
    return bool(row and row[0])
