"""Plaza's tables, as far as the peer uses them. Plaza's migrations make them, so no model is managed."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class Member(models.Model):
    """A user."""

    is_authenticated = True

    phone = models.TextField()
    password_hash = models.TextField()
    scopes = ArrayField(models.TextField())
    disabled = models.BooleanField()
    generation = models.IntegerField()
    firstname = models.TextField()
    lastname = models.TextField()
    expertise = models.TextField()
    location = models.TextField()
    timezone = models.TextField()

    class Meta:
        managed = False
        db_table = "users"


class Presence(models.Model):
    """When a user was seen last. A user who was never seen has none."""

    user = models.OneToOneField(Member, models.DO_NOTHING, primary_key=True, related_name="presence")
    seen = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "presence"


class Publication(models.Model):
    """A publication."""

    entity_type = "publication"
    kind = "feed"

    bundle_id = models.BigIntegerField(null=True)
    first_original_id = models.BigIntegerField(null=True)
    original_id = models.BigIntegerField(null=True)
    node_id = models.BigIntegerField(null=True)
    type = models.SmallIntegerField()
    title = models.TextField()
    summary = models.TextField()
    cover = models.JSONField()
    author = models.ForeignKey(Member, models.DO_NOTHING)
    language = models.TextField()
    updated = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "publications"


class Demand(models.Model):
    """A service request."""

    entity_type = "demand"
    kind = "feed"

    title = models.TextField()
    description = models.TextField()
    tags = ArrayField(models.TextField())
    cover = models.JSONField()
    images = ArrayField(models.TextField())
    author = models.ForeignKey(Member, models.DO_NOTHING)
    address = models.TextField()
    lat = models.FloatField(null=True)
    lng = models.FloatField(null=True)
    closed = models.DateTimeField()
    starts = models.DateTimeField()
    ends = models.DateTimeField()
    created = models.DateTimeField()
    updated = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "demands"


class Listing(models.Model):
    """A visible item of the feed in its category. The table lists items of every kind."""

    kind = models.TextField()
    category_id = models.BigIntegerField()
    created = models.DateTimeField()
    lat = models.FloatField(null=True)
    lng = models.FloatField(null=True)

    class Meta:
        abstract = True


class PublicationListing(Listing):
    """A row of the feed whose kind is publication."""

    item = models.OneToOneField(Publication, models.DO_NOTHING, primary_key=True, db_column="id")

    class Meta:
        managed = False
        db_table = "feed_listings"


class DemandListing(Listing):
    """A row of the feed whose kind is demand."""

    item = models.OneToOneField(Demand, models.DO_NOTHING, primary_key=True, db_column="id")

    class Meta:
        managed = False
        db_table = "feed_listings"


class Image(models.Model):
    """An image of a user."""

    owner = models.ForeignKey(Member, models.DO_NOTHING)
    key = models.TextField()
    width = models.IntegerField()
    height = models.IntegerField()
    tags = ArrayField(models.TextField())
    created = models.DateTimeField()
    deleted = models.DateTimeField(null=True)
    hidden = models.BooleanField()

    class Meta:
        managed = False
        db_table = "images"


class Token(models.Model):
    """A token, by the hash of its key."""

    hash = models.BinaryField()
    user = models.ForeignKey(Member, models.DO_NOTHING)
    scopes = ArrayField(models.TextField())
    narrowed = models.BooleanField()
    generation = models.IntegerField()
    ttl = models.BigIntegerField()  # nanoseconds
    created = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "tokens"


class TokenUse(models.Model):
    """When a token was used last."""

    token = models.OneToOneField(Token, models.DO_NOTHING, primary_key=True, related_name="use")
    used = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "token_uses"


class Secret(models.Model):
    """A key that the servers share."""

    name = models.TextField(primary_key=True)
    content = models.TextField()

    class Meta:
        managed = False
        db_table = "secrets"
