"""WSGI entry points for uwsgi, gunicorn or mod_wsgi."""
