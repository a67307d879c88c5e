"""The lake for SQL: its tables as views that show one tenant's committed rows, as of a basis."""

from lakehouse.open_sql.opened import OpenLake

__all__ = ["OpenLake"]
