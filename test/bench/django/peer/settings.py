"""Settings of the peer, as for production. libpq's variables (PGHOST, PGDATABASE, …) say where the database is."""

import os

DEBUG = False
ALLOWED_HOSTS = ["plaza.example"]
ROOT_URLCONF = "peer.urls"
INSTALLED_APPS = ["rest_framework", "peer"]
# CommonMiddleware sets Content-Length, which connections that stay open need.
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": os.environ["PGDATABASE"],
        "CONN_MAX_AGE": None,  # connections are kept
        "OPTIONS": {"options": "-c jit=off"},
    }
}

USE_TZ = True
TIME_ZONE = "UTC"

# Where nothing else is said, what is asked is public, and no caller is looked up.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
}

PUBLIC_URL = "https://plaza.example"
