"""The requests about events."""

import base64
import struct
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.shortcuts import get_object_or_404
from django.utils.timezone import now
from rest_framework import status
from rest_framework.response import Response
from rest_framework.views import APIView

from . import places
from .around import surround
from .authentication import KeyAuthentication, MayUseEvents
from .diary import Comment, Contact, Counter, Event, EventCounts, EventListing, Like, Notification, Subscription
from .serializers import CommentSerializer, EventSerializer, NewCommentSerializer, TitleSerializer
from .views import Pages

AROUND_ONE, AROUND_LISTED = 10, 3
NOTIFICATION_KEPT = timedelta(days=90)
SHARDS = 16


class EventsView(APIView):
    """Its callers have a token for events."""

    authentication_classes = [KeyAuthentication]
    permission_classes = [MayUseEvents]

    def shown(self, event):
        return Response({"data": EventSerializer(surround([event], self.request.user, AROUND_ONE)[0]).data})


class EventDetail(EventsView):
    """An event."""

    def get(self, request, pk):
        return self.shown(get_object_or_404(Event.objects.visible_to(request.user).whole(), pk=pk))

    def patch(self, request, pk):
        asked = TitleSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        with transaction.atomic():
            events = Event.objects.whole().select_for_update(of=("self",))
            event = get_object_or_404(events, pk=pk, author=request.user)
            event.title = asked.validated_data["title"]
            event.province, event.city = places.analyse(event.title, event.content)
            event.district = ""
            event.modified = max(event.modified, now())
            event.revision += 1
            event.save(update_fields=["title", "province", "city", "district", "modified", "revision"])
            if event.status == Event.NORMAL and event.permission == Event.PUBLIC and not event.hidden:
                relist(event)
        return self.shown(event)


def relist(event):
    """Tell the feed that a listed event was modified."""
    EventListing.objects.filter(event=event, kind="xfile").update(updated=event.modified)
    shard = {"category_id": event.category_id or 0, "kind": "xfile", "shard": connection.connection.get_backend_pid() % SHARDS}
    counted = Counter.objects.filter(**shard).update(updated=Greatest("updated", event.modified))
    if not counted:
        Counter.objects.create(**shard, count=0, created=event.created, updated=event.modified)


class AuthorEvents(EventsView):
    """The events of a user, a page."""

    def get(self, request, author):
        pages = Pages()
        events = Event.objects.visible_to(request.user).filter(author_id=author).whole().order_by("-day", "-created", "id")
        page = surround(pages.paginate_queryset(events, request), request.user, AROUND_LISTED)
        return pages.get_paginated_response(EventSerializer(page, many=True).data)


class Timeline(EventsView):
    """The newest events of those whom the caller follows."""

    def get(self, request):
        followed = Subscription.objects.filter(user=request.user, followed__isnull=False).values("followed")
        contacts = Contact.objects.filter(user=request.user).values("contact")
        some = Pages.page_size + 1
        for_all = newest(Event.objects.filter(permission=Event.PUBLIC, author__in=followed), some)
        for_contacts = newest(Event.objects.filter(permission=Event.CONTACT, author__in=contacts), some)
        top = for_all.union(for_contacts, all=True).order_by("-published", "-pk")[:some]
        page = list(Event.objects.whole().filter(pk__in=[pk for pk, _ in top]).order_by("-published", "-pk"))
        following = None
        if len(page) > Pages.page_size:
            page = page[:Pages.page_size]
            rank = round(page[-1].published.timestamp() * 1_000_000)
            following = base64.urlsafe_b64encode(b"t" + struct.pack(">qq", rank, page[-1].pk)).rstrip(b"=").decode()
        data = EventSerializer(surround(page, request.user, AROUND_LISTED), many=True).data
        return Response({"data": data, "cursor": {"next": following}})


def newest(events, some):
    """Return the numbers of the latest published events, some of them."""
    return events.shown().order_by("-published", "-pk").values_list("pk", "published")[:some]


class Comments(EventsView):
    """The comments on events."""

    def post(self, request):
        asked = NewCommentSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        at = now()
        with transaction.atomic():
            event = get_object_or_404(Event.objects.visible_to(request.user), pk=asked.validated_data["event"])
            EventCounts.objects.filter(event=event).update(comments=F("comments") + 1, commented=Greatest("commented", at))
            comment = Comment.objects.create(event=event, author=request.user, content=asked.validated_data["content"], created=at)
            tell(event, "comment", request.user, comment.pk, at)
        return Response({"data": CommentSerializer(comment).data}, status=status.HTTP_201_CREATED)


class Likes(EventsView):
    """The like of an event by the caller."""

    def put(self, request, pk):
        with transaction.atomic():
            event = get_object_or_404(Event.objects.visible_to(request.user), pk=pk)
            _, is_new = Like.objects.get_or_create(event=event, user=request.user)
            if is_new:
                EventCounts.objects.filter(event=event).update(likes=F("likes") + 1)
                tell(event, "like", request.user, event.pk, now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def tell(event, kind, actor, object_id, at):
    """Notify the author of what another user did."""
    if event.author_id != actor.pk:
        Notification.objects.create(
            owner_id=event.author_id, kind=kind, actor=actor, object_id=object_id, created=at, expires=at + NOTIFICATION_KEPT
        )
