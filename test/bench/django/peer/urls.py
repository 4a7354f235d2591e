"""The paths that the peer answers."""

from django.urls import path

from . import authentication, events, views

urlpatterns = [
    path("api/feed/items/<int:category>/", views.FeedItems.as_view()),
    path("api/user/user-image/", views.Images.as_view()),
    path("api/user/user-simple-info/", views.SimpleInfo.as_view()),
    path("api/auth/login/", authentication.Login.as_view()),
    path("api/xfile/event/<int:pk>/", events.EventDetail.as_view()),
    path("api/xfile/event/<int:author>/view-list/", events.AuthorEvents.as_view()),
    path("api/xfile/event/following/", events.Timeline.as_view()),
    path("api/activity/comment/", events.Comments.as_view()),
    path("api/activity/like/<int:pk>/", events.Likes.as_view()),
]
