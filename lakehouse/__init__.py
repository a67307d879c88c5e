"""The system of record: ledger, tables and codecs over Apache Iceberg."""
