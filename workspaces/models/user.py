"""A person who can sign in, whatever workspaces they belong to."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower

from bakedbrie.lib import clock, ids


class UserManager(BaseUserManager["User"]):
    """Makes users by e-mail address; Django's own commands call it."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, **{**fields, "is_staff": True, "is_superuser": True})

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """Signs in with an e-mail address. What they may do comes from their memberships.

    ``gets_review_mail``: they are told by mail of what waits for their decision.
    """

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120)
    is_staff = models.BooleanField(default=False, help_text="May open the admin.")
    is_active = models.BooleanField(default=True)
    gets_review_mail = models.BooleanField(default=True, db_default=True, editable=False)
    date_joined = models.DateTimeField(default=clock.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(email=Lower("email")), name="user_email_lower_case")]

    def __str__(self) -> str:
        return self.name or self.email
