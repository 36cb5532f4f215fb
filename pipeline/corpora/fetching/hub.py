"""A file of a Hugging Face data set at a pinned revision, through huggingface_hub."""

import logging
import os
import shutil
from pathlib import Path

from pipeline.corpora.fetching.verify import UnavailableError


def download_hub(repository: str, filename: str, partial: Path) -> None:
    """Download ``filename`` of ``OWNER/NAME@REVISION`` (a data set) to ``partial``; HF_ENDPOINT is obeyed.

    Raises UnavailableError where huggingface_hub is not installed or the hub does not give the file.
    """
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError as error:
        raise UnavailableError(
            f"{repository}: needs huggingface_hub; `pip install huggingface_hub`, or use another source"
        ) from error
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # its retries are not the user's business
    name, _, revision = repository.partition("@")
    try:
        found = hf_hub_download(
            name,
            filename,
            repo_type="dataset",
            revision=revision,
            local_dir=partial.parent / f"{partial.name}.d",
            endpoint=os.environ.get("HF_ENDPOINT"),
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise UnavailableError(
            f"{repository}: the hub did not give {filename} ({' '.join(str(error).split())[:200]});"
            " check the network, HF_ENDPOINT, or use another source"
        ) from error
    Path(found).replace(partial)
    shutil.rmtree(partial.parent / f"{partial.name}.d", ignore_errors=True)
