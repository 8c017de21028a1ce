"""Is the difference real? Arrays in, small results out. Names are here, arithmetic is not."""

#: Tests of significance (`significance.TESTS` has the functions).
TEST_NAMES = ("bootstrap", "t", "wilcoxon", "sign", "permutation")
#: Corrections for the number of tests (`corrections.CORRECTIONS` has the functions).
CORRECTION_NAMES = ("by", "bh", "holm", "bonferroni", "none")
