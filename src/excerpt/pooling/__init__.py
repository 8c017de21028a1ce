"""What is to be judged: pools of what runs returned, how they are chosen, and their files."""

from excerpt.pooling.pool_file import read_pool, write_pool
from excerpt.pooling.pools import Pool, PoolInput, PoolItem

__all__ = ["Pool", "PoolInput", "PoolItem", "read_pool", "write_pool"]
