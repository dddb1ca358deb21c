"""Requests to check files come in, line by line as JSON; what is read, each answer as it is found, and the end of it go out.

It keeps what was read and proved from request to request, so that an edit costs what it changes. It may not know who asks (an
editor, a watcher), nor how a command line is read: whoever starts it says how words become a `Request`.
"""

__all__ = ["client", "server"]
