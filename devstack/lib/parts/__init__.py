"""One module per family of parts; `table.py` lists them all."""
