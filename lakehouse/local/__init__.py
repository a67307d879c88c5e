"""What runs on this machine for a home: its folder, its records, its ports and processes.

The managed Neo4j and the managed S3 server stand on it; nothing here knows either.
"""
