"""Is the difference real? Arrays in, small results out; the names of tests are here, without their arithmetic."""

#: Tests of significance (`significance.TESTS` has the functions).
TEST_NAMES = ("bootstrap", "t", "wilcoxon", "sign", "permutation")
#: Corrections for the number of tests (`corrections.CORRECTIONS` has the functions).
CORRECTION_NAMES = ("by", "bh", "holm", "bonferroni", "none")
