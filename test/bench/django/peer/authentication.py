"""Who calls."""

from datetime import timedelta
from hashlib import sha256

from django.utils.timezone import now
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission

from .models import Presence, Token, TokenUse

NOTED_EVERY = timedelta(minutes=1)


class KeyAuthentication(BaseAuthentication):
    """Callers present the key of a token."""

    def authenticate(self, request):
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Token":
            return None
        token = Token.objects.select_related("use", "user__presence").filter(hash=sha256(key.encode()).digest()).first()
        if token is None or token.user.disabled or token.generation != token.user.generation:
            raise AuthenticationFailed
        if now() >= token.use.used + timedelta(microseconds=token.ttl // 1000):
            raise AuthenticationFailed
        self.note(token)
        return token.user, token

    def note(self, token):
        """Note that the user was seen, unless that was noted just now."""
        at, presence = now(), getattr(token.user, "presence", None)
        if at - token.use.used >= NOTED_EVERY:
            TokenUse.objects.filter(pk=token.pk).update(used=at)
        if presence is None or at - presence.seen >= NOTED_EVERY:
            token.user.presence, _ = Presence.objects.update_or_create(user=token.user, defaults={"seen": at})

    def authenticate_header(self, request):
        return "Token"


class MayUseEvents(BasePermission):
    """The caller and the token have the scope of events."""

    def has_permission(self, request, view):
        return request.user is not None and "xfile_event" in request.user.scopes and "xfile_event" in request.auth.scopes
