"""Data sets of others: ids of ir_datasets, and the gold files of benchmarks."""
