"""The page of reports, explorer and notebooks: modules of this folder, joined and wrapped."""
