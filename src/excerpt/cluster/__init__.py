"""Work on several machines: a Dask cluster."""
