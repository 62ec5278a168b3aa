"""A sign-in link by mail, for somebody who cannot get in."""

from __future__ import annotations

import logging
import smtplib
import uuid

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from workspaces.models import User
from workspaces.services.sign_in_links import make_link

logger = logging.getLogger(__name__)

TIMEOUT_S = 20


def send_sign_in_link(user_id: uuid.UUID) -> bool:
    """Mail a link to a person who is active; whoever asked is told nothing of how it went."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None or not settings.EMAIL_HOST:
        return False
    message = EmailMessage(
        subject="Your sign-in link",
        body=(
            "Somebody, hopefully you, asked for a way to sign in. This link works once within an hour:\n\n"
            f"{settings.APP_URL}{make_link(user)}\n\n"
            "Then set a new password under “Your account”. If it was not you, there is nothing to do.\n"
        ),
        to=[user.email],
        connection=get_connection(timeout=TIMEOUT_S),
    )
    try:
        return bool(message.send())
    except (OSError, smtplib.SMTPException, ValueError) as error:
        logger.warning("A sign-in link was not sent", extra={"user": user.pk, "why": type(error).__name__})
        return False
