"""The models of the diary. Where a table has a key of two columns, Django is told of the first."""

from django.db import models
from django.db.models import Exists, OuterRef, Q

from .models import Member


class Category(models.Model):
    """A category."""

    name = models.TextField()

    class Meta:
        managed = False
        db_table = "categories"


class Contact(models.Model):
    """A user whom another one follows, and is followed by."""

    user = models.OneToOneField(Member, models.DO_NOTHING, primary_key=True, related_name="+")
    contact = models.ForeignKey(Member, models.DO_NOTHING, related_name="+")

    class Meta:
        managed = False
        db_table = "contacts"


class Subscription(models.Model):
    """A user follows another one."""

    user = models.ForeignKey(Member, models.DO_NOTHING, related_name="+")
    followed = models.ForeignKey(Member, models.DO_NOTHING, related_name="+")

    class Meta:
        managed = False
        db_table = "subscriptions"


class Block(models.Model):
    """A block stands between two users: there is a row for each direction."""

    user = models.OneToOneField(Member, models.DO_NOTHING, primary_key=True, related_name="+")
    other = models.ForeignKey(Member, models.DO_NOTHING, related_name="+")

    class Meta:
        managed = False
        db_table = "blocks"


class EventQuerySet(models.QuerySet):
    """Events."""

    def shown(self):
        """Return published events that staff have not hidden."""
        return self.filter(status=Event.NORMAL, hidden=False)

    def visible_to(self, member):
        """Return the events of others that the member may see, and the member's own."""
        blocked = Block.objects.filter(user=member, other=OuterRef("author"))
        contact = Contact.objects.filter(user=member, contact=OuterRef("author"))
        return self.shown().filter(
            Q(permission=Event.PUBLIC) & ~Q(Exists(blocked)) | Q(permission=Event.CONTACT) & Q(Exists(contact)) | Q(author=member)
        )

    def whole(self):
        """Return the events with all that is shown of them alone."""
        return self.select_related("author__presence", "category", "counts").prefetch_related("plates")


class Event(models.Model):
    """An event."""

    NORMAL = 100
    PUBLIC, CONTACT = 0, 100

    author = models.ForeignKey(Member, models.DO_NOTHING)
    day = models.DateField()
    title = models.TextField()
    content = models.TextField()
    html = models.TextField()
    category = models.ForeignKey(Category, models.DO_NOTHING, null=True)
    permission = models.SmallIntegerField()
    status = models.SmallIntegerField()
    province = models.TextField()
    city = models.TextField()
    district = models.TextField()
    created = models.DateTimeField()
    modified = models.DateTimeField()
    published = models.DateTimeField(null=True, db_column="published_at")
    hidden = models.BooleanField()
    revision = models.BigIntegerField()

    objects = EventQuerySet.as_manager()

    class Meta:
        managed = False
        db_table = "events"


class EventCounts(models.Model):
    """How many comments and likes an event has."""

    event = models.OneToOneField(Event, models.DO_NOTHING, primary_key=True, related_name="counts")
    comments = models.IntegerField()
    likes = models.IntegerField()
    commented = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "event_counts"


class Plate(models.Model):
    """A picture of an event."""

    event = models.ForeignKey(Event, models.DO_NOTHING, related_name="plates")
    photo = models.TextField()
    width = models.IntegerField()
    height = models.IntegerField()
    created = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "plates"
        ordering = ["id"]


class Comment(models.Model):
    """A comment on an event."""

    event = models.ForeignKey(Event, models.DO_NOTHING)
    author = models.ForeignKey(Member, models.DO_NOTHING)
    content = models.TextField()
    created = models.DateTimeField()
    edited = models.DateTimeField(null=True)
    reply_to = models.BigIntegerField(null=True)
    hidden = models.BooleanField(default=False)

    class Meta:
        managed = False
        db_table = "comments"


class Like(models.Model):
    """A user likes an event."""

    event = models.OneToOneField(Event, models.DO_NOTHING, primary_key=True)
    user = models.ForeignKey(Member, models.DO_NOTHING)

    class Meta:
        managed = False
        db_table = "likes"


class News(models.Model):
    """A piece of news of a day."""

    site_name = models.TextField()
    site_logo = models.TextField()
    url = models.TextField()
    title = models.TextField()
    released = models.DateField()
    html = models.TextField()
    category = models.TextField()
    city = models.TextField()
    district = models.TextField()
    province = models.TextField()
    country = models.TextField()

    class Meta:
        managed = False
        db_table = "news"


class Notification(models.Model):
    """What a user is told of another one. Triggers count it."""

    owner = models.ForeignKey(Member, models.DO_NOTHING, related_name="+")
    kind = models.TextField()
    actor = models.ForeignKey(Member, models.DO_NOTHING, related_name="+")
    object_id = models.BigIntegerField()
    created = models.DateTimeField()
    expires = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "notifications"


class EventListing(models.Model):
    """A row of the feed whose kind is xfile."""

    event = models.OneToOneField(Event, models.DO_NOTHING, primary_key=True, db_column="id")
    kind = models.TextField()
    updated = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "feed_listings"


class Counter(models.Model):
    """How many items of a kind a category lists, in a shard of its own for each connection."""

    category_id = models.BigIntegerField(primary_key=True)
    kind = models.TextField()
    shard = models.SmallIntegerField()
    count = models.BigIntegerField()
    created = models.DateTimeField(null=True)
    updated = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "feed_counters"
