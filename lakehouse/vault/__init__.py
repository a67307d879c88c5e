"""The vault: keys of data subjects, outside the lake and its snapshots, so that they can go."""

from lakehouse.vault.guards import guard_from, vault_path
from lakehouse.vault.vault import MemoryVault, TenantState, Vault, open_vault

__all__ = ["MemoryVault", "TenantState", "Vault", "guard_from", "open_vault", "vault_path"]
