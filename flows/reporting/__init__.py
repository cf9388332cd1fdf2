"""What the report shows, read from the lake, and the folder it is written to."""
