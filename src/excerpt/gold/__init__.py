"""Gold files: questions with their evidence, as other benchmarks publish them."""
