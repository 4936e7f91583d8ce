"""What we tell the world."""
