"""A new sealing key for an embedded install that does not run."""

from __future__ import annotations

from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.maintenance import at_rest, run_to_its_end
from bakedbrie.embedded.terminal import say
from bakedbrie.embedded.trouble import Trouble
from bakedbrie.lib import sealing


def rotate_keys() -> int:
    """Put a new key in front, seal everything again, and drop the older keys when nothing needs them any more.

    Stopped at any moment it may be started anew: more keys than one are the mark of a rotation that goes on.
    """
    folder = DataFolder.here()
    with at_rest(folder) as supervisor:
        if len(sealing.entries(folder.sealing_keys())) == 1:
            folder.put_sealing_key_in_front()
        supervisor.environment["SEALING_KEYS"] = folder.sealing_keys()
        if run_to_its_end(supervisor, "rotate_keys") != 0:
            raise Trouble(f"The older keys stay in {folder.path}/sealing_keys. `make rotate-keys` goes on.")
        folder.keep_sealing_keys(sealing.entries(folder.sealing_keys())[0])
    say("The older key is gone. Backups that were made before need the keys that were saved with them.")
    return 0
