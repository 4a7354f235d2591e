"""The peer in Django REST framework.

It answers some requests of the benchmark as Plaza does, from Plaza's own tables in Postgres, and knows no others.
"""
