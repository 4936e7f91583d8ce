"""What Nova's objects answer, asked of the real ones once and kept in files; `ask.py` asks anew."""
