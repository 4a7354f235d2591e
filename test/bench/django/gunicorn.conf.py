"""How gunicorn runs the peer: four workers that keep connections alive, on a free port of this machine."""

bind = "127.0.0.1:0"
workers = 4
worker_class = "gthread"
threads = 4
keepalive = 60  # seconds
preload_app = True


def when_ready(server):
    """Print where the server listens."""
    print(f"Listening at {server.LISTENERS[0]}", flush=True)
