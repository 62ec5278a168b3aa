"""Forms of the admin that read what was typed with the input models of the other doors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.db.models import Model

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Input, parse

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Any]
else:
    ModelForm = forms.ModelForm


CHANGED_MEANWHILE = "Somebody changed this since the page was opened. Open it again and look."


class InputForm(ModelForm):
    """The fields that were changed are checked by ``input_model``, and its words stand at the fields.

    Without a model, what the fields understood counts. It is in ``given`` for the service to take; the form never
    writes into its row. ``refused`` is what the service said the first time: the form is shown again with it.

    The page sends back what it showed. A field was changed when it differs from that, so a page that stood open takes
    nothing back that somebody else did meanwhile; two who change the same field are told. ``is_one_change`` says that
    the service takes all fields together.
    """

    input_model: ClassVar[type[Input] | None] = None
    refused: ClassVar[Refused | None] = None
    is_one_change: ClassVar[bool] = False
    given: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        is_told = not self.is_bound or any(self.add_initial_prefix(name) in self.data for name in self.fields)
        for field in self.fields.values():
            field.show_hidden_initial = is_told and not self.instance._state.adding

    def more(self) -> dict[str, object]:
        """Return what else the input model needs, such as the row's id."""
        return {}

    def _post_clean(self) -> None:
        model = self.input_model
        names = [name for name in self.changed_data if model is None or name in model.model_fields]
        typed = {name: self._typed(name) for name in names}
        before = {name: self.get_initial_for_field(self.fields[name], name) for name in names}
        changed = {name: value for name, value in typed.items() if value != before[name]}
        self.given = {} if model else {name: self.cleaned_data.get(name) for name in names}
        for name in self.fields if self.is_one_change and names else changed:
            if self._is_stale(name):
                self.add_error(name, CHANGED_MEANWHILE)
        try:
            if self.refused is not None:
                raise self.refused
            if changed and model is not None:
                self.given = parse(model, {**self.more(), **changed}).model_dump(include=set(changed))
        except Refused as refused:
            self._show(refused)

    def _typed(self, name: str) -> object:
        """Return the value as the field understood it, else as it was typed, with the line ends of every other door."""
        return _plain(self.cleaned_data.get(name, self[name].data))

    def _is_stale(self, name: str) -> bool:
        """Whether the row holds something else by now than the page that was sent back showed."""
        field = self.fields[name]
        if not field.show_hidden_initial:
            return False
        sent = field.hidden_widget().value_from_datadict(self.data, self.files, self.add_initial_prefix(name))
        try:
            shown = field.to_python(sent)
        except forms.ValidationError:  # a column or an agent that is not there any more
            return True
        now = self.get_initial_for_field(field, name)
        return str(_plain(shown) or "") != str(_plain(now) or "")

    def _show(self, refused: Refused) -> None:
        problems = refused.details.get("fields")
        problems = dict(problems) if isinstance(problems, Mapping) else {}
        here = {name: texts for name, texts in problems.items() if name in self.fields}
        for name, texts in here.items():
            self.errors.pop(name, None)
            self.add_error(name, texts)
        if len(here) < len(problems) or not problems:
            elsewhere = {name: texts for name, texts in problems.items() if name not in here}
            self.add_error(None, refusal_text(refused, elsewhere))


def _plain(value: object) -> object:
    if isinstance(value, Model):
        return str(value.pk)
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


def refusal_text(refused: Refused, problems: Mapping[str, list[str]] | None = None) -> str:
    """Return a refusal as one text, with what is wrong with which field."""
    named = refused.details.get("fields") if problems is None else problems
    pairs = named.items() if isinstance(named, Mapping) else ()
    said = (f"{field}: {', '.join(texts)}." for field, texts in pairs)
    return " ".join([refused.message, *said, refused.fix]).strip()
