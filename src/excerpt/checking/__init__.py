"""Checks of files, with every fault; conversion between formats; statistics of judgments."""
