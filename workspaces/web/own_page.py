"""Pages of a signed-in person that are about themselves, whatever workspaces they belong to."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.cache import add_never_cache_headers

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.web.errors import error_page
from workspaces.models import User
from workspaces.web.entering import is_proved
from workspaces.web.session import PageParams, caller_of_request, without_caller

OwnPage = Callable[Concatenate[HttpRequest, User, PageParams], HttpResponseBase]
Served = Callable[Concatenate[HttpRequest, PageParams], HttpResponseBase]


def own_page(page: OwnPage[PageParams]) -> Served[PageParams]:
    """Hand the page who is signed in. Strangers are sent to sign in; what the page refuses becomes an error page."""

    @wraps(page)
    def with_person(request: HttpRequest, /, *args: PageParams.args, **kwargs: PageParams.kwargs) -> HttpResponseBase:
        user = request.user
        if not isinstance(user, User):
            return without_caller(request)
        caller_of_request(request)  # for the frame
        try:
            response = page(request, user, *args, **kwargs)
        except Refused as refused:
            response = error_page(request, refused)
        add_never_cache_headers(response)
        return response

    return with_person


def proved_page(page: OwnPage[PageParams]) -> Served[PageParams]:
    """As `own_page`, for what changes how somebody gets in: who has not shown lately who they are does so first."""

    @wraps(page)
    def with_proof(
        request: HttpRequest, user: User, /, *args: PageParams.args, **kwargs: PageParams.kwargs
    ) -> HttpResponseBase:
        if is_proved(request):
            return page(request, user, *args, **kwargs)
        back = request.path if request.method in {"GET", "HEAD"} else reverse("account")
        return HttpResponseRedirect(f"{reverse('confirm-account')}?{urlencode({'next': back})}")

    return own_page(with_proof)
