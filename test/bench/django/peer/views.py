"""The requests that the peer answers."""

from django.db.models import F, Prefetch
from django.db.models.functions import Cos, Power, Radians, Sin
from rest_framework.generics import ListAPIView
from rest_framework.pagination import PageNumberPagination
from rest_framework.response import Response
from rest_framework.views import APIView

from .geography import Circle
from .models import Demand, DemandListing, Image, Member, PublicationListing
from .serializers import DemandSerializer, ImageSerializer, MemberSerializer, PublicationSerializer


class Pages(PageNumberPagination):
    """Pages with their numbers and the total count."""

    page_size = 20

    def get_paginated_response(self, data):
        page = self.page
        return Response({
            "data": data,
            "pagination": {
                "page_size": self.page_size,
                "total_count": page.paginator.count,
                "total_pages": page.paginator.num_pages,
                "current_page": page.number,
                "next": page.next_page_number() if page.has_next() else None,
                "previous": page.previous_page_number() if page.has_previous() else None,
            },
        })


class FeedItems(ListAPIView):
    """The publications of a category, or its demands within a distance."""

    pagination_class = Pages

    def is_near(self):
        return self.request.query_params.get("type") == "demand"

    def circle(self):
        asked = self.request.query_params
        return Circle(float(asked["lat"]), float(asked["lng"]), float(asked["within_distance"]))

    def get_queryset(self):
        if self.is_near():
            return near(self.kwargs["category"], self.circle())
        return (
            PublicationListing.objects.filter(category_id=self.kwargs["category"], kind="publication")
            .select_related("item")
            .only("item")
            .order_by("-created", "item_id")
        )

    def paginate_queryset(self, queryset):
        return [listing.item for listing in super().paginate_queryset(queryset)]

    def get_serializer_class(self):
        return DemandSerializer if self.is_near() else PublicationSerializer

    def get_serializer_context(self):
        context = super().get_serializer_context()
        if self.is_near():
            context["circle"] = self.circle()
        return context


def near(category, circle):
    """Return the listings of the category's demands within the circle, the newest first.

    The box lets the index find candidates. The demands and their authors are read for the listings of one page alone.
    """
    lat, lng = circle.box()
    haversine = Power(Sin(Radians(F("lat") - circle.lat) / 2), 2) + Cos(Radians("lat")) * Cos(Radians(circle.lat)) * Power(
        Sin(Radians(F("lng") - circle.lng) / 2), 2
    )
    return (
        DemandListing.objects.filter(category_id=category, kind="demand", lat__range=lat, lng__range=lng)
        .alias(haversine=haversine)
        .filter(haversine__lte=circle.haversine_limit())
        .only("item")
        .prefetch_related(Prefetch("item", Demand.objects.select_related("author__presence")))
        .order_by("-created", "item_id")
    )


class Images(ListAPIView):
    """The images of a user with all of some tags."""

    serializer_class = ImageSerializer

    def get_queryset(self):
        asked = self.request.query_params
        images = Image.objects.filter(owner_id=asked["uid"], deleted=None, hidden=False)
        return images.filter(tags__contains=asked["tags__contains"].split(",")).order_by("-created", "-id")

    def list(self, request, *args, **kwargs):
        return Response({"data": super().list(request, *args, **kwargs).data})


class SimpleInfo(APIView):
    """What anybody may know of some users, in the order of their ids in the request."""

    def post(self, request):
        ids = list(dict.fromkeys(request.data["uid"]))
        members = Member.objects.select_related("presence").in_bulk(ids)
        found = [members[uid] for uid in ids if uid in members]
        return Response({"data": MemberSerializer(found, many=True).data})
