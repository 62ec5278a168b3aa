from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import bakedbrie.lib.clock
import bakedbrie.lib.ids


class Migration(migrations.Migration):
    dependencies = [("agents", "0002_initial")]

    operations = [
        migrations.CreateModel(
            name="TurnLine",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=bakedbrie.lib.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(default=bakedbrie.lib.clock.now, editable=False)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("seq", models.PositiveIntegerField()),
                ("text", models.TextField()),
                (
                    "turn",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lines", to="agents.turn"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["created_at"], name="turn_line_by_age")],
                "constraints": [models.UniqueConstraint(fields=("turn", "seq"), name="turn_line_once")],
            },
        )
    ]
