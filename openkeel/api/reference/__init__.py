"""What is written from the operation tables for people and for tools.

`answers` and `codes` say what an operation answers; `openapi` makes a document per microversion of
them, `pages` the API reference. Nothing here is needed to serve a request.
"""
