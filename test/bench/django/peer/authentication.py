"""Who calls."""

from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from django.db import transaction
from django.utils.timezone import now
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.response import Response
from rest_framework.views import APIView

from .models import Member, Presence, Token, TokenUse

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


class Login(APIView):
    """A new key for a telephone and its password."""

    def post(self, request):
        member = Member.objects.filter(phone=request.data["username"], disabled=False).first()
        try:
            PasswordHasher().verify(member.password_hash if member else "", request.data["password"])
        except VerifyMismatchError as wrong:
            raise AuthenticationFailed from wrong
        key, at = "plz_" + token_urlsafe(), now()
        with transaction.atomic():
            token = Token.objects.create(
                hash=sha256(key.encode()).digest(), user=member, scopes=member.scopes, narrowed=False,
                generation=member.generation, ttl=timedelta(days=30).total_seconds() * 10**9, created=at,
            )
            TokenUse.objects.create(token=token, used=at)
        return Response({"data": {"key": key}})
