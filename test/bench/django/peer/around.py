"""What is shown around events: others of the day, its news, and comments. The ORM has no word for the newest of each."""

from django.db import connection

from .diary import Comment, Event, News

MOMENT = """
SELECT d.place, e.id
FROM unnest(%(days)s::date[], %(ids)s::bigint[]) WITH ORDINALITY d (day, id, place)
CROSS JOIN LATERAL (
    (SELECT e.id, e.created FROM events e
        WHERE e.day = d.day AND e.id <> d.id AND e.status = 100 AND NOT e.hidden AND e.permission = 0
            AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = %(viewer)s AND b.other_id = e.author_id)
        ORDER BY e.created DESC, e.id DESC LIMIT %(most)s)
    UNION ALL
    (SELECT e.id, e.created FROM events e
        WHERE e.author_id = %(viewer)s AND e.day = d.day AND e.id <> d.id AND e.status = 100 AND NOT e.hidden AND e.permission <> 0
        ORDER BY e.created DESC, e.id DESC LIMIT %(most)s)
    UNION ALL
    (SELECT e.id, e.created FROM contacts k JOIN events e ON e.author_id = k.contact_id
        WHERE k.user_id = %(viewer)s AND e.day = d.day AND e.id <> d.id AND e.status = 100 AND NOT e.hidden AND e.permission = 100
        ORDER BY e.created DESC, e.id DESC LIMIT %(most)s)
    ORDER BY created DESC, id DESC LIMIT %(most)s) e
ORDER BY d.place, e.created DESC, e.id DESC
"""

NEWS = """
SELECT d.place, n.*
FROM unnest(%(days)s::date[], %(cities)s::text[]) WITH ORDINALITY d (day, city, place)
CROSS JOIN LATERAL (
    (SELECT 0 AS far, * FROM news WHERE released = d.day AND city = d.city AND d.city <> '' ORDER BY id LIMIT %(most)s)
    UNION ALL
    (SELECT 1, * FROM news WHERE released = d.day AND (city <> d.city OR d.city = '') ORDER BY id LIMIT %(most)s)
    ORDER BY far, id LIMIT %(most)s) n
ORDER BY d.place, n.far, n.id
"""

COMMENTS = """
SELECT c.*
FROM unnest(%(ids)s::bigint[]) WITH ORDINALITY d (id, place)
CROSS JOIN LATERAL (
    SELECT * FROM comments c
    WHERE c.event_id = d.id AND NOT c.hidden
        AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = %(viewer)s AND b.other_id = c.author_id)
    ORDER BY c.created DESC, c.id DESC LIMIT 10) c
ORDER BY d.place, c.created DESC, c.id DESC
"""


def surround(events, viewer, most):
    """Give each event the_moment and place_around, most of each, and newest_comments, as the viewer sees them."""
    asked = {
        "ids": [event.pk for event in events], "days": [event.day for event in events], "cities": [event.city for event in events],
        "viewer": viewer.pk, "most": most,
    }
    for event in events:
        event.the_moment, event.place_around, event.newest_comments = [], [], []
    with connection.cursor() as cursor:
        cursor.execute(MOMENT, asked)
        found = cursor.fetchall()
    others = Event.objects.select_related("author__presence", "category").prefetch_related("plates").in_bulk({pk for _, pk in found})
    for place, pk in found:
        events[place - 1].the_moment.append(others[pk])
    for news in News.objects.raw(NEWS, asked):
        events[news.place - 1].place_around.append(news)
    by_id = {event.pk: event for event in events}
    for comment in Comment.objects.raw(COMMENTS, asked).prefetch_related("author__presence"):
        by_id[comment.event_id].newest_comments.append(comment)
    return events
