"""The control plane of Amazon S3 Tables: bucket, namespace, and the upkeep that AWS runs itself.

Everything is asked first and made where it is missing, so that a second call changes nothing.
Credentials and region come from AWS's own chain (variables, profiles, roles), or are handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from lakehouse.model.errors import BeliefgraphError, ConfigurationError, UnavailableError
from lakehouse.tables import NAMESPACE

_T = TypeVar("_T")
_LOG_IN: Final = "Log in as for any AWS tool: variables, a profile (AWS_PROFILE), or a role."
_DENIED: Final = (401, 403)


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What AWS does by itself: how many snapshots stay, and when what none of them names goes.

    A snapshot goes when `snapshots` newer ones exist and it is older than `snapshot_hours`. Files
    that no snapshot names are set aside after `unreferenced_days`, and are gone for good
    `noncurrent_days` later.
    """

    snapshots: int = 100
    snapshot_hours: int = 120
    unreferenced_days: int = 3
    noncurrent_days: int = 10

    def deadline(self) -> str:
        """When the bytes of rows that were rewritten are gone, in words."""
        days = -(-self.snapshot_hours // 24) + self.unreferenced_days + self.noncurrent_days
        return (
            f"bytes of rewritten rows are gone about {days} days after {self.snapshots} newer "
            "snapshots of their table exist"
        )


@dataclass(frozen=True, slots=True)
class Provisioned:
    """What is there now: the bucket's ARN, what was made, and the tables with upkeep set."""

    arn: str
    made: tuple[str, ...]
    tables: tuple[str, ...]


def client(
    region: str | None = None,
    *,
    endpoint: str | None = None,
    access_key_id: str | None = None,
    secret_access_key: str | None = None,
) -> Any:
    """A client of the control plane; what is not given comes from AWS's own chain.

    UnavailableError where boto3 is not installed, ConfigurationError where no region is known.
    """
    try:
        import boto3  # noqa: PLC0415  (an extra, and slow to load)
        from botocore.config import Config  # noqa: PLC0415
        from botocore.exceptions import NoRegionError, ProfileNotFound  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise UnavailableError(
            f"Amazon S3 Tables needs the package {missing.name}, which is not installed.",
            remedy="pip install 'beliefgraph[aws]' (in a checkout: pip install -e '.[aws]').",
        ) from missing
    try:
        return boto3.client(
            "s3tables",
            region_name=region,
            endpoint_url=endpoint,
            aws_access_key_id=access_key_id,
            aws_secret_access_key=secret_access_key,
            config=Config(connect_timeout=5, retries={"max_attempts": 2, "mode": "standard"}),
        )
    except NoRegionError as error:
        raise ConfigurationError(
            "no AWS region is known", remedy="Give --region, or set AWS_REGION or a profile's."
        ) from error
    except ProfileNotFound as error:
        raise ConfigurationError(
            f"AWS: {error}", remedy="Correct AWS_PROFILE, or write that profile."
        ) from error


def check_login(properties: Mapping[str, str]) -> None:
    """ConfigurationError where a catalog that asks for signatures leaves AWS's chain empty.

    `properties` are the catalog's, in PyIceberg's words; what they do not name is looked up as
    every AWS tool does: variables, profiles, roles.
    """
    import boto3  # noqa: PLC0415  (an extra, and slow to load)
    from botocore.exceptions import ProfileNotFound  # noqa: PLC0415

    try:
        session = boto3.Session(
            profile_name=properties.get("client.profile-name"),
            aws_access_key_id=properties.get("client.access-key-id"),
            aws_secret_access_key=properties.get("client.secret-access-key"),
        )
    except ProfileNotFound as error:
        raise ConfigurationError(
            f"AWS: {error}", remedy="Correct AWS_PROFILE, or write that profile."
        ) from error
    if session.get_credentials() is None:
        raise ConfigurationError("no AWS credentials are found", remedy=_LOG_IN)


def find_bucket(control: Any, name: str) -> str | None:
    """The ARN of the account's table bucket of that name, or None."""
    pages = control.get_paginator("list_table_buckets").paginate(prefix=name)
    found = _asked(
        f"listing table buckets named {name}",
        lambda: [bucket for page in pages for bucket in page.get("tableBuckets", ())],
    )
    return next((str(bucket["arn"]) for bucket in found if bucket["name"] == name), None)


def provision(control: Any, name: str, upkeep: Upkeep) -> Provisioned:
    """Have bucket, namespace and upkeep; tables that are there get theirs, others at the next call.

    UnavailableError where AWS does not answer, ConfigurationError where it refuses.
    """
    made = []
    arn = find_bucket(control, name)
    if arn is None:
        answer = _asked(f"making {name}", lambda: control.create_table_bucket(name=name))
        arn = str(answer["arn"])
        made.append(f"table bucket {name}")
    if not _has_namespace(control, arn):
        _asked(
            f"making namespace {NAMESPACE}",
            lambda: control.create_namespace(tableBucketARN=arn, namespace=[NAMESPACE]),
        )
        made.append(f"namespace {NAMESPACE}")
    return Provisioned(arn, tuple(made), _keep_up(control, arn, upkeep))


def catalog_settings(control: Any, arn: str) -> dict[str, str]:
    """The environment variables that make PyIceberg use a bucket's REST endpoint."""
    region = str(control.meta.region_name)
    properties = {
        "TYPE": "rest",
        "URI": f"{control.meta.endpoint_url}/iceberg",
        "WAREHOUSE": arn,
        "REST__SIGV4_ENABLED": "true",
        "REST__SIGNING_NAME": "s3tables",
        "REST__SIGNING_REGION": region,
        "CLIENT__REGION": region,
    }
    return {f"PYICEBERG_CATALOG__S3TABLES__{name}": value for name, value in properties.items()}


def _has_namespace(control: Any, arn: str) -> bool:
    pages = control.get_paginator("list_namespaces").paginate(tableBucketARN=arn)
    found = _asked(
        "listing namespaces", lambda: [one for page in pages for one in page.get("namespaces", ())]
    )
    return any(list(one["namespace"]) == [NAMESPACE] for one in found)


def _keep_up(control: Any, arn: str, upkeep: Upkeep) -> tuple[str, ...]:
    """Set the bucket's removal of files, and each table's snapshots; the tables' names."""
    removal = {
        "unreferencedDays": upkeep.unreferenced_days,
        "nonCurrentDays": upkeep.noncurrent_days,
    }
    kind = "icebergUnreferencedFileRemoval"
    _asked(
        "setting the removal of unreferenced files",
        lambda: control.put_table_bucket_maintenance_configuration(
            tableBucketARN=arn, type=kind, value=_enabled(kind, removal)
        ),
    )
    pages = control.get_paginator("list_tables").paginate(tableBucketARN=arn, namespace=NAMESPACE)
    names = sorted(
        _asked(
            "listing tables",
            lambda: [str(t["name"]) for page in pages for t in page.get("tables", ())],
        )
    )
    for name in names:
        _keep_table(control, arn, name, upkeep)
    return tuple(names)


def _keep_table(control: Any, arn: str, name: str, upkeep: Upkeep) -> None:
    kind = "icebergSnapshotManagement"
    kept = {
        "minSnapshotsToKeep": upkeep.snapshots,
        "maxSnapshotAgeHours": upkeep.snapshot_hours,
    }
    _asked(
        f"setting the snapshots of table {name}",
        lambda: control.put_table_maintenance_configuration(
            tableBucketARN=arn,
            namespace=NAMESPACE,
            name=name,
            type=kind,
            value=_enabled(kind, kept),
        ),
    )


def _enabled(kind: str, settings: Mapping[str, int]) -> dict[str, object]:
    return {"status": "enabled", "settings": {kind: dict(settings)}}


def _asked(what: str, ask: Callable[[], _T]) -> _T:
    """The answer, or AWS's refusal in our words."""
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    try:
        return ask()
    except (BotoCoreError, ClientError) as error:
        raise _refused(what, error) from error


def _refused(what: str, error: Any) -> BeliefgraphError:
    from botocore.exceptions import (  # noqa: PLC0415
        ClientError,
        NoCredentialsError,
        PartialCredentialsError,
    )

    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return ConfigurationError(
            f"S3 Tables, {what}: no AWS credentials are found",
            remedy=_LOG_IN,
        )
    if isinstance(error, ClientError):
        code = error.response.get("Error", {}).get("Code", "unknown")
        if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") in _DENIED:
            return ConfigurationError(
                f"S3 Tables, {what}: AWS refuses ({code})",
                remedy="Give this login the s3tables permissions named in lakehouse/README.md.",
                code=code,
            )
        return UnavailableError(
            f"S3 Tables, {what}: {code}", remedy="Run it again; it goes on where it stopped."
        )
    return UnavailableError(
        f"S3 Tables, {what}: {error}", remedy="Check the network, the region and the endpoint."
    )
