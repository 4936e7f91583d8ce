"""What Cinder loads to have volumes here."""
