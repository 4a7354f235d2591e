"""What the peer shows of each model."""

import hmac
import re
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.timezone import now
from rest_framework import serializers

from .models import Secret

ONLINE_FOR = timedelta(minutes=5)
# Han, Kana and Hangul: such names begin with the family name, and no space separates them.
EAST_ASIAN = re.compile("[\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af]+")
PORTRAITS = [("sm", 64), ("md", 128), ("lg", 256)]  # sizes in pixels


def full_name(member):
    """Return the member's name as people write it."""
    if EAST_ASIAN.fullmatch(member.firstname) and EAST_ASIAN.fullmatch(member.lastname):
        return member.lastname + member.firstname
    return f"{member.firstname} {member.lastname}".strip()


def portrait_url(member, size):
    """Return where the drawn portrait of the member is in the size."""
    return f"{settings.PUBLIC_URL}/media/portrait/{member.pk}-{size}.png"


class OrNull(serializers.CharField):
    """A text that is shown as null when it is empty."""

    def to_representation(self, value):
        return value or None


class PictureField(serializers.Field):
    """A stored picture with its sizes by their names."""

    def to_representation(self, picture):
        sizes = {
            size["name"]: {"width": size["width"], "height": size["height"], "path": size["path"]}
            for size in picture["sizes"]
        }
        return {"path": picture["path"], "sizes": sizes}


class MemberSerializer(serializers.Serializer):
    uid = serializers.IntegerField(source="pk")
    avatar = serializers.SerializerMethodField()
    expertise = OrNull()
    firstname = serializers.CharField()
    lastname = serializers.CharField()
    username = serializers.SerializerMethodField()
    timezone = serializers.CharField()
    timezone_utc_offset = serializers.SerializerMethodField()
    location = serializers.CharField()
    avatars = serializers.SerializerMethodField()
    is_online = serializers.SerializerMethodField()

    def get_avatar(self, member):
        return portrait_url(member, "lg")

    def get_username(self, member):
        return full_name(member)

    def get_timezone_utc_offset(self, member):
        return datetime.now(ZoneInfo(member.timezone)).isoformat()[-len("+00:00"):]

    def get_avatars(self, member):
        sizes = {name: {"width": side, "height": side, "path": portrait_url(member, name)} for name, side in PORTRAITS}
        return {"path": sizes["lg"]["path"], "sizes": sizes}

    def get_is_online(self, member):
        presence = getattr(member, "presence", None)
        return presence is not None and now() - presence.seen <= ONLINE_FOR


class PublicationSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    bundle_id = serializers.IntegerField()
    node_id = serializers.IntegerField()
    title = serializers.CharField()
    content = serializers.CharField(source="summary")
    pub_type = serializers.IntegerField(source="type")
    cover_image = serializers.CharField(source="cover.path")
    cover_images = PictureField(source="cover")
    author = serializers.IntegerField(source="author_id")
    update_at = serializers.DateTimeField(source="updated")
    bundle = serializers.SerializerMethodField()
    language = serializers.CharField()
    entity_type = serializers.ReadOnlyField()
    entity_id = serializers.IntegerField(source="id")
    kind = serializers.ReadOnlyField()

    def get_bundle(self, publication):
        return {"first_original_id": publication.first_original_id, "original_id": publication.original_id}


class DemandSerializer(serializers.Serializer):
    """A demand, with its distance from the centre of the circle in the context."""

    title = serializers.CharField()
    description = serializers.CharField()
    tags = serializers.ReadOnlyField()
    auto_cover = serializers.CharField(source="cover.path")
    auto_covers = PictureField(source="cover")
    images = serializers.ReadOnlyField()
    author = MemberSerializer()
    service_address = OrNull(source="address")
    closed_time = serializers.DateTimeField(source="closed")
    start_time = serializers.DateTimeField(source="starts")
    end_time = serializers.DateTimeField(source="ends")
    create_time = serializers.DateTimeField(source="created")
    update_at = serializers.DateTimeField(source="updated")
    entity_type = serializers.ReadOnlyField()
    kind = serializers.ReadOnlyField()
    entity_id = serializers.IntegerField(source="id")
    distance = serializers.SerializerMethodField()

    def get_distance(self, demand):
        return self.context["circle"].distance_to(demand.lat, demand.lng)


def sizes_of(address, width, height):
    """Return the sizes of a picture by their names; the address is without the name."""
    sizes = {}
    for name, most in (("sm", 320), ("md", 1024)):
        part = min(1, most / max(width, height))
        sizes[name] = {"width": round(width * part), "height": round(height * part), "path": address + name}
    return sizes


class ImageSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    user = serializers.IntegerField(source="owner_id")
    img = serializers.SerializerMethodField()
    img_height = serializers.IntegerField(source="height")
    img_width = serializers.IntegerField(source="width")
    sizes = serializers.SerializerMethodField()
    create_time = serializers.DateTimeField(source="created")
    delete_time = serializers.DateTimeField(source="deleted")
    tags = serializers.ReadOnlyField()

    def get_img(self, image):
        return f"{settings.PUBLIC_URL}/media/{image.key}"

    def get_sizes(self, image):
        return sizes_of(self.get_img(image) + "?size=", image.width, image.height)


class PlateSerializer(serializers.Serializer):
    """A picture of an event. Its signed address is good for an hour or two."""

    id = serializers.IntegerField()
    user = serializers.IntegerField(source="event.author_id")
    user_name = serializers.SerializerMethodField()
    photo = serializers.SerializerMethodField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    sizes = serializers.SerializerMethodField()
    create_time = serializers.DateTimeField(source="created")

    def get_sizes(self, plate):
        return sizes_of(self.get_photo(plate) + "&size=", plate.width, plate.height)

    def get_user_name(self, plate):
        return full_name(plate.event.author)

    def get_photo(self, plate):
        hour = timedelta(hours=1).total_seconds()
        expires = int(now().timestamp() // hour * hour + 2 * hour)
        signature = hmac.new(signing_key(), f"{plate.photo}\n{expires}".encode(), "sha256").hexdigest()
        return f"{settings.PUBLIC_URL}/media/{plate.photo}?expires={expires}&signature={signature}"


@lru_cache
def signing_key():
    """Return the key that the servers sign addresses with."""
    return Secret.objects.get(name="media addresses").content.encode()


class AuthorSerializer(MemberSerializer):
    """A member whose flag is called otherwise."""

    is_online = None
    online = serializers.SerializerMethodField(method_name="get_is_online")


class CommentSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    user = MemberSerializer(source="author")
    content = serializers.CharField()
    create_time = serializers.DateTimeField(source="created")
    edited_at = serializers.DateTimeField(source="edited")
    reply_to = serializers.IntegerField()  # no comment of the data set is a reply


class NewsSerializer(serializers.Serializer):
    site_name = serializers.CharField()
    url = serializers.CharField()
    title = serializers.CharField()
    release_date = serializers.DateField(source="released")
    html_content = serializers.CharField(source="html")
    city = serializers.CharField()
    category = serializers.CharField()
    site_logo = serializers.CharField()
    district = serializers.CharField()
    province = serializers.CharField()
    country = OrNull()


class EntrySerializer(serializers.Serializer):
    """An event as the moment of another one shows it."""

    id = serializers.IntegerField()
    event_time = serializers.DateField(source="day")
    title = serializers.CharField()
    content = serializers.CharField()
    html_content = serializers.CharField(source="html")
    category = serializers.IntegerField(source="category_id")
    category_name = serializers.CharField(source="category.name", default=None)
    plates = PlateSerializer(source="plates.all", many=True)
    view_permission = serializers.IntegerField(source="permission")
    create_time = serializers.DateTimeField(source="created")
    last_modified = serializers.DateTimeField(source="modified")
    status = serializers.IntegerField()
    user = AuthorSerializer(source="author")
    city = OrNull()
    district = OrNull()
    province = OrNull()
    comments = serializers.ReadOnlyField(default=[])


class EventSerializer(EntrySerializer):
    """An event with what is around it."""

    comments = CommentSerializer(source="newest_comments", many=True)
    comment_count = serializers.IntegerField(source="counts.comments")
    like_count = serializers.IntegerField(source="counts.likes")
    the_moment = EntrySerializer(many=True)
    place_around = NewsSerializer(many=True)


class TitleSerializer(serializers.Serializer):
    title = serializers.CharField()


class NewCommentSerializer(serializers.Serializer):
    event = serializers.IntegerField()
    content = serializers.CharField()
