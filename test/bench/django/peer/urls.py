"""The paths that the peer answers."""

from django.urls import path

from . import views

urlpatterns = [
    path("api/feed/items/<int:category>/", views.FeedItems.as_view()),
    path("api/user/user-image/", views.Images.as_view()),
    path("api/user/user-simple-info/", views.SimpleInfo.as_view()),
]
