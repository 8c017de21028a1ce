"""Judgment pools: selection of documents and passages from runs, pool files and statistics."""

from excerpt.pooling.pool_file import read_pool, write_pool
from excerpt.pooling.pools import Pool, PoolInput, PoolItem

__all__ = ["Pool", "PoolInput", "PoolItem", "read_pool", "write_pool"]
