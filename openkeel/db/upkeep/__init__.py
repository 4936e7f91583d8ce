"""What operators do to databases now and then: archive dead rows, purge archives, migrate old data."""
