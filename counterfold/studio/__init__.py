"""The studio: a local page where spots are built, solved, looked at and played.

``server`` is the application and ``guard`` decides who may come in; ``folder`` holds files,
``jobs`` the queue of work, which ``worker`` does in processes of its own. Each page has a module
here with its calls and one of the same name in ``static/pages``. Everything is computed by the
library.
"""
