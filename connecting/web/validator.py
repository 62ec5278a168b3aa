"""django-oauth-toolkit's validator on our rows: codes kept as digests, and each grant a token of the workspace."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from bakedbrie.lib.refusals import Refused
from connecting.addresses import resource
from connecting.services.consents import connect, give_back, give_consent, hold_code, hold_refresh_token, renew
from workspaces.access import token_digest


class Validator(OAuth2Validator):  # type: ignore[misc]  # the toolkit has no types
    """Called by oauthlib, with its own request: what one step finds, the next reads from there.

    The token address opens one transaction around all of it, in which a consent stays locked.
    """

    def save_authorization_code(
        self, client_id: str, code: dict[str, str], request: Any, *args: Any, **kw: Any
    ) -> None:
        digest = token_digest(code["code"])
        request.nonce, request.claims = None, None  # of OpenID Connect, which is not spoken here
        super().save_authorization_code(client_id, {**code, "code": digest}, request, *args, **kw)
        give_consent(request.caller, client=request.client, preset=request.preset, code_digest=digest)

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kw: Any) -> bool:
        request.consent = hold_code(code, client)
        if request.consent is None:
            return False
        is_right: bool = super().validate_code(client_id, token_digest(code), client, request, *args, **kw)
        return is_right

    def get_code_challenge(self, code: str, request: Any) -> Any:
        return super().get_code_challenge(token_digest(code), request)

    def get_code_challenge_method(self, code: str, request: Any) -> Any:
        return super().get_code_challenge_method(token_digest(code), request)

    def confirm_redirect_uri(self, client_id: str, code: str, *args: Any, **kw: Any) -> Any:
        return super().confirm_redirect_uri(client_id, token_digest(code), *args, **kw)

    def invalidate_authorization_code(self, client_id: str, code: str, request: Any, *args: Any, **kw: Any) -> None:
        super().invalidate_authorization_code(client_id, token_digest(code), request, *args, **kw)

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kw: Any) -> bool:
        request.consent = hold_refresh_token(refresh_token, client)
        if request.consent is None:
            return False
        is_right: bool = super().validate_refresh_token(refresh_token, client, request, *args, **kw)
        return is_right

    def revoke_token(self, token: str, token_type_hint: str, request: Any, *args: Any, **kw: Any) -> None:
        give_back(token, request.client)
        super().revoke_token(token, token_type_hint, request, *args, **kw)

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kw: Any) -> None:
        super()._save_bearer_token(token, request, *args, **kw)
        lasts = timedelta(seconds=token["expires_in"])
        try:
            if request.consent.token is None:
                connect(request.consent, raw=token["access_token"], lasts=lasts, family=request.family)
            else:
                renew(request.consent, raw=token["access_token"], lasts=lasts)
        except Refused as refused:
            raise errors.InvalidGrantError(refused.message, request=request) from None

    def _create_refresh_token(self, request: Any, *args: Any) -> Any:
        refresh_token = super()._create_refresh_token(request, *args)
        request.family = refresh_token.token_family
        return refresh_token

    def _check_and_set_request_resource(self, request: Any) -> None:
        """Take our one address, or none named, which means it (RFC 8707)."""
        named = [value for key, value in request.decoded_body or [] if key == "resource"]
        if set(named) - {resource()}:
            raise errors.CustomOAuth2Error(
                "invalid_target", description=f"The only resource is {resource()}.", request=request
            )
        request.resource = [resource()]
