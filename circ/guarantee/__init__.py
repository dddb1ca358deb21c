"""Assume-guarantee checking: verification conditions of annotated threads, and what to say when one fails."""
