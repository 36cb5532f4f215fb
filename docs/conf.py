"""What `make docs` reads: the pages as a site, from the same Markdown that the repository shows."""

project = html_title = "SynSem"
extensions = ["myst_parser", "sphinxcontrib.mermaid"]
html_theme = "furo"
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]  # links to code and results; TSV
