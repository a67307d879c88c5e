"""Upkeep of the lake: snapshots expire, small files are merged, what nothing names is swept.

No row that a commit names is ever changed or removed, and `commits` keeps its one line; the
command and the job compare what is believed before and after (`proof`). Where AWS keeps the
tables itself (S3 Tables) all of it is refused (`keeper`).
"""
