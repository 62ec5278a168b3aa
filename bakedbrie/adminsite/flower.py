"""Flower at /admin/flower/: for operators, and to look at only. What its pages would change, no door here changes."""

from __future__ import annotations

import base64
import hashlib
from urllib.parse import urlencode

from csp.decorators import csp_update
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from bakedbrie.adminsite.flower_socket import Away, ask
from workspaces.admin_access import is_operator

# The one inline script of its pages, in the one form that our options leave it; any other stays blocked.
INLINE_SCRIPT = "\nvar autorefresh = 0;\n"
SCRIPT_HASH = f"'sha256-{base64.b64encode(hashlib.sha256(INLINE_SCRIPT.encode()).digest()).decode()}'"
FOR_ITS_PAGES = {"script-src": [SCRIPT_HASH], "img-src": ["data:"]}
READ_BY_POST = "tasks/datatable"  # its table of jobs asks for its rows so
# Its API acts, and its page on one worker shows every setting, with what passwords stand in addresses.
CLOSED = ("api/", "worker/", "login", "logout", "metrics")
ASKED_WITH = ("Accept", "Content-Type", "If-None-Match", "If-Modified-Since", "X-Requested-With")


@csrf_exempt  # nothing is changed by it, and Flower's own script knows no token of ours
@csp_update(FOR_ITS_PAGES)  # type: ignore[arg-type]  # its types know views of a request alone
@require_http_methods(["GET", "HEAD", "POST"])
def flower(request: HttpRequest, path: str) -> HttpResponse:
    """Pass a request on to Flower, without cookies, and its answer back."""
    if not is_operator(request):
        if request.user.is_authenticated:
            raise Http404
        return redirect(f"{reverse('admin:login')}?{urlencode({'next': request.path}, safe='/')}")
    if path.startswith(CLOSED):
        return _say(request, "Not shown here", "This part of Flower is closed: it shows settings, or acts.", status=404)
    if request.method == "POST" and path != READ_BY_POST:
        return HttpResponse("Flower is only looked at here.", status=405, content_type="text/plain")
    headers = {name: request.headers[name] for name in ASKED_WITH if name in request.headers}
    body = request.body if request.method == "POST" else None
    try:
        answer = ask(str(request.method), request.get_full_path(), headers=headers, body=body)
    except Away:
        says = "Flower shows which job which worker has. It is an extra: `make flower` starts it."
        return _say(request, "Flower does not run", says, status=503)
    kept = {"Cache-Control": "private, no-cache", **answer.headers}
    return HttpResponse(answer.body, status=answer.status, headers=kept)


def _say(request: HttpRequest, title: str, says: str, *, status: int) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": title, "says": says}
    return TemplateResponse(request, "admin/flower_away.html", context, status=status)
